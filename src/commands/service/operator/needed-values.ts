import { printable, shorten } from '../../../cli/core/sanitize.ts';
import { formatDistance } from '../../../cli/output/format-value.ts';
import type { Choice } from '../../../cli/prompts/prompts.ts';
import {
  listAllBackups,
  listAllDisputes,
  listAllEndpoints,
  listDeliveries,
  listKeys,
  listReclaimNotices,
  listStores,
  type Storage,
} from '../../../service/index.ts';

/** How a terminal is asked for a value. */
export interface Asked {
  readonly question: string;
  /** What is asked where it is typed. */
  readonly label?: string;
  /** What the database has. `storeId` is the store that was given, or chosen before. */
  readonly list?: (storage: Storage, storeId: string | undefined) => Promise<readonly Choice[]>;
}

/** Others are chosen by typing their id. */
const limit = 500;
const maxStores = 100;

const named =
  <Item extends { readonly id: string }>(
    list: (
      storage: Storage,
      query: { storeId: string | undefined; limit: number },
    ) => Promise<readonly Item[]>,
    describe: (item: Item) => readonly unknown[],
  ): NonNullable<Asked['list']> =>
  async (storage, storeId) =>
    (await list(storage, { storeId, limit })).map((item) => choiceOf(item.id, describe(item)));

function choiceOf(id: string, about: readonly unknown[]): Choice {
  const words = about.filter((value) => typeof value === 'string' && value !== '');
  const shown = words.map((value) => printable(shorten(String(value), 40))).join(', ');
  return { value: id, name: shown === '' ? id : `${shown}  ${id}` };
}

const age = (time: string) => formatDistance(Date.parse(time) - Date.now());

const stores = named(
  (storage, query) => listStores(storage, { ...query, after: undefined }),
  ({ name, slug }) => [name, slug],
);

/** By the names of options and arguments. */
export const asked: Readonly<Record<string, Asked>> = {
  '--event': { question: 'Which event do you want to emit?' },
  '--label': { question: 'Label: what it shows, in a few words' },
  '--store': { question: 'Which store?', label: 'Store ID', list: stores },
  storeId: { question: 'Which store?', label: 'Store ID', list: stores },
  '--dispute': {
    question: 'Which dispute is the evidence for?',
    label: 'Dispute ID',
    list: named(listAllDisputes, ({ status, kind, reason }) => [status, kind, reason]),
  },
  keyId: {
    question: 'Which key?',
    label: 'Key ID',
    async list(storage, storeId) {
      const all = await listStores(storage, { after: undefined, limit: maxStores });
      const choices: Choice[] = [];
      for (const { id: store, name } of all.filter(({ id }) => storeId === undefined || id === storeId)) {
        const keys = (await listKeys(storage, store, limit)).filter(({ state }) => state === 'active');
        choices.push(...keys.map(({ id, label, createdAt }) => choiceOf(id, [name, label, age(createdAt)])));
      }
      return choices;
    },
  },
  backupId: {
    question: 'Which backup?',
    label: 'Backup ID',
    list: named(listAllBackups, ({ label, createdAt }) => [label, age(createdAt)]),
  },
  endpointId: {
    question: 'Which endpoint?',
    label: 'Endpoint ID',
    list: named(listAllEndpoints, ({ name, url }) => [name, url]),
  },
  reclaimId: {
    question: 'Which reclaim notice?',
    label: 'Reclaim notice ID',
    list: named(listReclaimNotices, ({ subdomain, status }) => [subdomain, status]),
  },
  deadDelivery: {
    question: 'Which delivery do you want to retry?',
    label: 'Delivery ID',
    list: named(
      (storage, query) => listDeliveries(storage, { ...query, state: 'dead' }),
      ({ event, endpoint, lastError }) => [event, endpoint, lastError],
    ),
  },
};
