import { expect } from 'vitest';
import { sectionNames as sections } from '../../../src/contract/operations/backups.ts';
import type { ServedId } from '../../../src/contract/operations/operations.ts';
import { addReclaim } from '../../../src/service/operations/reclaims.ts';
import type { Answer, Service } from './service.ts';

/** Sends each operation once, and returns the bodies of the responses. `round` tells two uses of a service apart. */
export async function useEverything(
  { call, inStore }: Pick<Service, 'call' | 'inStore'>,
  round: string,
): Promise<Record<ServedId, Answer['body']>> {
  const use = async (id: ServedId, targetId = '', body?: object) => {
    const answer = await call(id, targetId, body);
    expect([200, 201], `${id}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
    return answer.body;
  };
  const keyed = { idempotencyKey: round };
  const endpoint = {
    kind: 'discord',
    name: round,
    events: ['feedback_digest'],
    url: `https://discord.com/api/webhooks/7/${round}`,
  };
  const post = await use('blog.create', '', { title: `Post ${round}`, contentMd: 'x', tags: ['x'] });
  const opened = await use('disputes.open', '', { kind: 'payment', reason: 'x', ...keyed });
  const backup = await use('backup.create', '', { label: 'x', sections, ...keyed });
  const notice = await inStore((work) => addReclaim(work, { subdomain: 'x', reason: 'x' }));
  return {
    'blog.create': post,
    'disputes.open': opened,
    'backup.create': backup,
    'store.update': await use('store.update', '', { name: `Store ${round}` }),
    'settings.save': await use('settings.save', '', { showcase: { enabled: true } }),
    'disputes.decide': await use('disputes.decide', opened.id, { status: 'won', resolution: 'x' }),
    'reclaim.appeal': await use('reclaim.appeal', notice.id, { text: 'x' }),
    'notify.add-endpoint': await use('notify.add-endpoint', '', endpoint),
    'notify.mark-read': await use('notify.mark-read', '', {}),
    'store.show': await use('store.show'),
    'settings.show': await use('settings.show'),
    'blog.list': await use('blog.list'),
    'blog.show': await use('blog.show', post.id),
    'disputes.list': await use('disputes.list'),
    'disputes.show': await use('disputes.show', opened.id),
    'reclaim.list': await use('reclaim.list'),
    'notify.list': await use('notify.list'),
    'notify.inbox': await use('notify.inbox'),
    'backup.list': await use('backup.list'),
    'backup.show': await use('backup.show', backup.id),
    'backup.restore': await use('backup.restore', backup.id, { sections, ...keyed }),
  };
}
