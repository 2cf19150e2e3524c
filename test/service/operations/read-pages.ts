import { expect } from 'vitest';
import { type ReadId, servedOperations } from '../../../src/contract/operations/operations.ts';
import { addReclaim } from '../../../src/service/operations/reclaims.ts';
import type { Answer, Service } from '../helpers/service.ts';

/** The ids of the operations that list something. */
export const lists = servedOperations.flatMap((operation) =>
  'isAddition' in operation && 'query' in operation ? [operation.id] : [],
);

export type Item = Readonly<Record<string, unknown>> & { readonly id: string };

interface Page {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** Sends a read, with the parameters of its query. */
export async function read(
  service: Service,
  id: ReadId,
  query: Readonly<Record<string, string | number>> = {},
  { target = '', key = service.key } = {},
): Promise<Answer> {
  const operation = servedOperations.find((one) => one.id === id);
  const path = operation?.path.replace('{storeId}', service.storeId).replace(/\{\w+\}/, target);
  const text = new URLSearchParams(query as Record<string, string>);
  return service.send('GET', `${path}?${text}`, undefined, { headers: { authorization: `Bearer ${key}` } });
}

export async function page(
  service: Service,
  id: ReadId,
  query: Readonly<Record<string, string | number>> = {},
) {
  const { status, body } = await read(service, id, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Page;
}

/** All pages, one after the other. Calls `between` before each but the first. */
export async function pages(
  service: Service,
  id: ReadId,
  query: Readonly<Record<string, string | number>> = {},
  between = async (_: number) => {},
): Promise<(readonly Item[])[]> {
  const found: (readonly Item[])[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await page(service, id, { ...query, ...(after !== undefined && { after }) });
    found.push(items);
    if (next === undefined) return found;
    after = next;
    await between(found.length);
  }
}

let made = 0;

/** Makes an object that the list has, and answers its id. */
export async function make(service: Service, list: (typeof lists)[number]): Promise<string> {
  made += 1;
  const name = `N${made}`;
  const idempotencyKey = name;
  switch (list) {
    case 'blog.list':
      return (await service.call('blog.create', '', { title: name, contentMd: name })).body.id;
    case 'disputes.list':
      return (await service.call('disputes.open', '', { kind: 'payment', reason: name, idempotencyKey })).body
        .id;
    case 'backup.list': {
      const body = { label: name, sections: ['settings'], idempotencyKey };
      return (await service.call('backup.create', '', body)).body.id;
    }
    case 'reclaim.list':
      return (await service.inStore((work) => addReclaim(work, { subdomain: 'x', reason: name }))).id;
    case 'notify.list': {
      const url = `https://discord.com/api/webhooks/${made}/secret`;
      const body = { kind: 'discord', name, url, events: ['post_created'] };
      return (await service.call('notify.add-endpoint', '', body)).body.id;
    }
    case 'notify.inbox': {
      await service.call('store.update', '', { name });
      return (await page(service, 'notify.inbox', { limit: 1 })).items[0]?.id ?? '';
    }
  }
}

export const ids = (items: readonly Item[]) => items.map(({ id }) => id);

export async function backUp(service: Service, sections: readonly string[]): Promise<string> {
  made += 1;
  const body = { label: 'L', sections, idempotencyKey: `b${made}` };
  return (await service.call('backup.create', '', body)).body.id;
}

export async function restore(
  service: Service,
  target: string,
  sections: readonly string[],
): Promise<Answer> {
  made += 1;
  return service.call('backup.restore', target, { sections, idempotencyKey: `r${made}` });
}
