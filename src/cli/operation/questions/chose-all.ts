import type { KnownObject } from '../../../history/objects/known-objects.ts';

/** Thrown if the user, asked for one id, has chosen all that are offered. The command goes through them in their order. */
export class ChoseAll extends Error {
  override readonly name = 'ChoseAll';
  readonly objects: readonly KnownObject[];

  constructor(objects: readonly KnownObject[]) {
    super();
    this.objects = objects;
  }
}
