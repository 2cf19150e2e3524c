import { isObject } from '../../base/json.ts';
import type { Context } from '../../cli/command/context.ts';
import { changesBetween } from '../../cli/core/json-changes.ts';
import type { Run } from '../../cli/operation/run/run.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { serverOwnedSettings, showSettings } from '../../contract/operations/settings.ts';
import type { KnownKind } from '../../history/known-objects.ts';

/** What can be known of the sections that are restored. The service shows neither the store nor lists of items. */
export interface KnownState {
  /** Null if they are not restored or cannot be read. */
  readonly settings: Record<string, unknown> | null;
  readonly items: ReadonlyMap<KnownKind, ReadonlySet<string>>;
}

/** Reads what can be known, before a restore or after it; nothing if no person reads the result. */
export async function readState(run: Run, sections: readonly string[]): Promise<KnownState> {
  const { json, quiet } = run.ui.context.flags;
  if (json || quiet) return { settings: null, items: new Map() };
  return { settings: await settingsFor(run, sections), items: await madeHere(run, sections) };
}

/** The settings are a courtesy, so they are not waited for longer than this, in milliseconds. */
const settingsTimeoutMs = 5_000;

async function settingsFor(run: Run, sections: readonly string[]): Promise<KnownState['settings']> {
  const { context } = run.ui;
  const { flags } = context;
  if (!sections.includes('settings')) return null;
  const timeoutMs = Math.min(settingsTimeoutMs, flags.timeoutMs ?? settingsTimeoutMs);
  const ui = { ...run.ui, context: { ...context, flags: { ...flags, timeoutMs } } };
  const request = { operation: showSettings, parameters: {}, body: null };
  // The key may lack the scope.
  const answer = await perform({ ...run, request, ui }).then(
    (performed) => performed.answer,
    () => null,
  );
  return isObject(answer) ? answer : null;
}

/** What is known to have changed: settings before and after, and the posts and endpoints of this machine. */
export async function describeEffect(
  context: Context,
  sections: readonly string[],
  before: KnownState,
  after: KnownState,
): Promise<string> {
  const parts = [
    await describeSettings(context, before.settings, after.settings),
    describeItems(before.items, after.items),
    // Silence would look as if nothing had changed there.
    sections.includes('store') ? 'What changed in the store is not listed: the service cannot show it.' : '',
  ];
  return parts.filter((part) => part !== '').join('\n');
}

async function describeSettings(
  context: Context,
  before: KnownState['settings'],
  after: KnownState['settings'],
): Promise<string> {
  if (before === null || after === null) return '';
  const { describeChanges } = await import('../../cli/output/describe-changes.ts');
  const changes = changesBetween(before, after).filter(
    ({ path }) => !serverOwnedSettings.some((owned) => owned === path),
  );
  return changes.length === 0 ? '' : describeChanges(changes, context.now(), context.out);
}

/** The kind of the items in a section. */
const kindIn: Readonly<Record<string, KnownKind>> = { blog: 'post', endpoints: 'endpoint' };

/** The posts and endpoints that this machine made and that still exist, of the sections that are restored. */
async function madeHere(
  { ui: { context }, target: { origin, storeId } }: Run,
  sections: readonly string[],
): Promise<KnownState['items']> {
  const { knownObjects } = await import('../../history/known-objects.ts');
  const { records } = await (await context.history()).list({ origin, storeId });
  const kinds = Object.entries(kindIn).filter(([section]) => sections.includes(section));
  return new Map(kinds.map(([, kind]) => [kind, new Set(knownObjects(kind, records).map(({ id }) => id))]));
}

/** `Removed 2 posts and 1 endpoint made on this machine.`; empty if nothing is known of either. */
function describeItems(before: KnownState['items'], after: KnownState['items']): string {
  const lacking = (from: typeof before, others: typeof before) =>
    [...from].flatMap(([kind, ids]) => {
      const count = [...ids].filter((id) => !others.get(kind)?.has(id)).length;
      return count === 0 ? [] : [count === 1 ? `1 ${kind}` : `${count} ${kind}s`];
    });
  const sentence = (verb: string, what: readonly string[]) =>
    what.length === 0 ? [] : [`${verb} ${what.join(' and ')} made on this machine.`];
  const removed = sentence('Removed', lacking(before, after));
  return [...removed, ...sentence('Brought back', lacking(after, before))].join(' ');
}
