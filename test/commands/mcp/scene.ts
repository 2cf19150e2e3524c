import { operations } from '../../../src/contract/operations/operations.ts';
import { accessTo } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';
import { startMcp } from './session.ts';

/** A scene whose machine can start `storectl mcp`, and objects that its tools can name. */
export async function setMcpScene() {
  const { access, ...scene } = await setScene();
  const { example, machine } = scene;
  const open = example.disputes.find(({ status }) => status === 'open')?.id ?? '';
  const [reclaim] = example.reclaims;
  return {
    ...scene,
    open,
    reclaim: reclaim?.id ?? '',
    start: (args: readonly string[] = [], options = {}) => startMcp(machine, accessTo(access), args, options),
  };
}

export type McpScene = Awaited<ReturnType<typeof setMcpScene>>;

export const writes: readonly string[] = operations
  .filter((operation) => operation.class !== 'read')
  .map(({ id }) => id);

export function toolOf(operation: string): string {
  return operation.replace(/[ .-]/g, '_');
}

export const allowAll = ['--allow', writes.join(',')];

export const decision = { status: 'won', resolution: 'Tracking shows delivery.' };

/** Inputs of every write, without confirmation. */
export function inputsOf(
  { open, reclaim }: McpScene,
  backupId = 'backup-made-elsewhere-1',
): Record<string, Record<string, unknown>> {
  return {
    'store.update': { settings: { cashbackBp: 300 } },
    'blog.create': { title: 'Spring', contentMd: 'All inks.' },
    'disputes.decide': { disputeId: open, ...decision },
    'settings.save': { quietHours: { start: '21:30' } },
    'disputes.open': { reason: 'Not delivered' },
    'backup.create': { label: 'nightly', sections: ['store'] },
    'backup.restore': { backupId, sections: ['store'] },
    'reclaim.appeal': { reclaimId: reclaim, text: 'The shop is open.' },
    'notify.add-endpoint': {
      name: 'Team',
      url: 'https://discord.com/api/webhooks/1/tok-en',
      events: ['feedback_digest'],
    },
    'notify.mark-read': { all: true },
  };
}

/** The input that a person confirms. */
export const confirmation: Readonly<Record<string, string>> = {
  'disputes.decide': 'disputeId',
  'backup.restore': 'backupId',
  'reclaim.appeal': 'reclaimId',
};
