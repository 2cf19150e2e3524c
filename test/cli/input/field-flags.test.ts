import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { deriveFlags } from '../../../src/cli/input/field-flags.ts';
import { operations } from '../../../src/contract/operations/operations.ts';
import { newMachine } from '../../helpers/cli.ts';

/** Dotted paths of every leaf of a request body that one flag can hold: all but maps of objects. */
function leavesOf(schema: z.ZodMiniType, path: readonly string[] = []): string[] {
  const { def } = schema;
  if (def.type === 'optional' || def.type === 'nullable') {
    return leavesOf((schema as z.ZodMiniOptional<z.ZodMiniType>).def.innerType, path);
  }
  if (def.type === 'object') {
    return Object.entries((schema as z.ZodMiniObject).shape).flatMap(([name, inner]) =>
      leavesOf(inner as z.ZodMiniType, [...path, name]),
    );
  }
  return [path.join('.')];
}

/** A map takes one entry at a time, so its flag is in the singular. */
const singular: Readonly<Record<string, string>> = { socials: 'social', riskSignals: 'riskSignal' };
/** A template has a name, and ids are arguments. */
const withoutFlag = ['settings.save templates', 'notify.mark-read ids'];

const withBody = operations.filter(({ body }) => body !== null);

test.each(withBody.map((operation) => [operation.id.replace('.', ' '), operation] as const))(
  '%s --help has a flag for every field, named by its path',
  async (name, { id, body }) => {
    const { stdout } = await newMachine().run([...name.split(' '), '--help']);

    // What few need stands behind the examples.
    const fields = stdout.match(/\n(?:Fields|Advanced):\n[\s\S]*?\n\n/g)?.join('') ?? '';
    const shown = [...fields.matchAll(/^ {2}--(?:\[no-\])?(\S+)/gm)].map(([, flag]) => flag);
    const paths = leavesOf(body as z.ZodMiniType).filter((path) => !withoutFlag.includes(`${id} ${path}`));
    const flags = paths
      .map((path) => path.replace('settings.', ''))
      .map((path) => (singular[path] ?? path).replace(/\.?([A-Z])|\./g, '-$1').toLowerCase());
    expect(shown).toEqual(expect.arrayContaining(flags));
    expect(flags.length).toBeGreaterThan(0);
  },
);

test.each(withBody.map((operation) => [operation.id, operation] as const))(
  '%s: no two fields share a flag',
  (_, { body }) => {
    const flags = body === null ? [] : deriveFlags(body, { flatten: 'settings' }).map(({ flag }) => flag);

    expect(new Set(flags).size).toBe(flags.length);
  },
);

test('which fields are required is what the contract says', () => {
  const required = Object.fromEntries(
    operations.flatMap(({ id, body }) =>
      body === null
        ? []
        : [
            [
              id,
              deriveFlags(body)
                .filter((field) => field.required)
                .map(({ flag }) => flag),
            ] as const,
          ],
    ),
  );

  expect(required).toEqual({
    'store.update': [],
    'blog.create': ['--title', '--content-md'],
    'disputes.decide': ['--status', '--resolution'],
    'settings.save': [],
    'disputes.open': ['--kind', '--reason', '--idempotency-key'],
    'backup.create': ['--label', '--sections', '--idempotency-key'],
    'backup.restore': ['--sections', '--idempotency-key'],
    'reclaim.appeal': ['--text'],
    'notify.add-endpoint': ['--kind', '--name', '--url', '--events'],
    'notify.mark-read': [],
  });
});
