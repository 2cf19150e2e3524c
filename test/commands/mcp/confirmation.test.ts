import { expect, test } from 'vitest';
import { allowAll, decision, type McpScene, setMcpScene } from './scene.ts';

/** A session whose user answers each question with the next of `answers`: what they type, or null to decline. */
async function startWithUser(
  { start }: McpScene,
  answers: (string | null)[],
  mode: 'legacy' | 'auto' = 'auto',
) {
  const asked: string[] = [];
  const session = await start(allowAll, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode },
  });
  session.client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    const id = answers.shift() ?? null;
    return id === null ? { action: 'decline' } : { action: 'accept', content: { id } };
  });
  return { ...session, asked };
}

test.each([['legacy'], ['auto']] as const)(
  'a user who can be asked confirms a decision (%s)',
  async (mode) => {
    const scene = await setMcpScene();
    const { call, client, asked } = await startWithUser(scene, [null, 'wrong', scene.open], mode);
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools)).not.toContain('"confirm"');
    // A confirmation in the call is the model's own and does not count.
    const decide = () => call('disputes_decide', { disputeId: scene.open, ...decision, confirm: scene.open });

    expect(await decide()).toMatchObject({ ok: false, outcome: 'not_sent', error: { code: 'declined' } });
    expect(await decide()).toMatchObject({
      ok: false,
      outcome: 'not_sent',
      error: { code: 'wrong_confirmation' },
    });
    expect(scene.proxy.writes()).toEqual([]);
    expect(await decide()).toMatchObject({ ok: true, outcome: 'applied' });
    expect(asked).toHaveLength(3);
  },
);

test('the question about a decision shows the status, the whole resolution, the dispute and the store', async () => {
  const scene = await setMcpScene();
  const { call, asked } = await startWithUser(scene, []);
  const resolution = `The buyer is right.\n  Status: "won"\n\nType ${'x'.repeat(9000)} to confirm.\u202e\u2028"`;

  await call('disputes_decide', {
    disputeId: scene.open,
    status: 'lost',
    resolution,
    'Status: "won"\nNote': 'a\u001b[2Jb',
  });

  const lines = asked[0]?.split('\n') ?? [];
  expect(lines).toContain(`main → store ${scene.service.storeId} @ ${new URL(scene.proxy.origin).host}`);
  expect(lines.slice(lines.indexOf('This will be sent:') + 1, lines.indexOf('', 3))).toEqual([
    expect.stringMatching(new RegExp(`^  POST http\\S+/disputes/${scene.open}/decision$`)),
    '  Status: "lost"',
    `  Resolution: "The buyer is right.\\n  Status: \\"won\\"\\n\\nType ${'x'.repeat(9000)} to confirm.\\u202e\\u2028\\""`,
    '  "Status: \\"won\\"\\nNote": "a\\u001b[2Jb"',
  ]);
  const seen = lines.slice(lines.indexOf('', 3) + 1);
  expect(seen).toEqual(expect.arrayContaining([`  ID: "${scene.open}"`, '  Status: "open"']));
  expect(seen.find((line) => line.startsWith('  Reason: "'))).toBeDefined();
  expect(lines.at(-1)).toBe(`Type ${scene.open} to confirm.`);
});

test('a reason that a stranger wrote cannot pass for another part of the question', async () => {
  const scene = await setMcpScene();
  const { call, asked } = await startWithUser(scene, []);
  const reason = 'Late\n\nThis will be sent:\n  Status: "won"';
  const opened = await call('disputes_open', { reason });
  const { id } = opened.untrusted.data as { id: string };

  await call('disputes_decide', { disputeId: id, status: 'lost', resolution: 'No proof.' });

  const lines = asked[0]?.split('\n') ?? [];
  expect(lines.filter((line) => line === 'This will be sent:')).toHaveLength(1);
  expect(lines.filter((line) => line.includes('Status: '))).toEqual([
    '  Status: "lost"',
    '  Status: "open"',
    '  Reason: "Late\\n\\nThis will be sent:\\n  Status: \\"won\\""',
  ]);
});

test('the question about a restore shows the sections, the backup and that a safety backup comes first', async () => {
  const scene = await setMcpScene();
  const { call, asked } = await startWithUser(scene, []);
  const made = await call('backup_create', { label: 'nightly', sections: ['store', 'blog'] });
  const { id } = made.untrusted.data as { id: string };

  // The beginning of the id stands for it.
  const restore = await call('backup_restore', { backupId: id.slice(0, 18), sections: ['store', 'blog'] });
  expect(restore).toMatchObject({ error: { code: 'declined' } });

  const lines = asked[0]?.split('\n') ?? [];
  expect(lines[0]).toContain('A safety backup of the same sections is taken first.');
  expect(lines).toEqual(
    expect.arrayContaining([
      `main → store ${scene.service.storeId} @ ${new URL(scene.proxy.origin).host}`,
      '  Sections: "store", "blog"',
      `  ID: "${id}"`,
      '  Label: "nightly"',
      `Type ${id} to confirm.`,
    ]),
  );
});

test('the question about an appeal shows its text, and the notice as the service lists it', async () => {
  const scene = await setMcpScene();
  const { call, asked } = await startWithUser(scene, [scene.reclaim]);

  const appeal = await call('reclaim_appeal', { reclaimId: scene.reclaim, text: 'The shop is open.' });

  expect(appeal).toMatchObject({ ok: true, outcome: 'applied' });
  expect(asked[0]?.split('\n')).toEqual(
    expect.arrayContaining([
      '  Text: "The shop is open."',
      '  Subdomain: "juniper-ink"',
      `Type ${scene.reclaim} to confirm.`,
    ]),
  );
});

test('there is no question about a dispute that does not exist, or with a field missing', async () => {
  const scene = await setMcpScene();
  const { call, asked } = await startWithUser(scene, []);
  const disputeId = '5f0cbead-0000-4000-8000-000000000009';

  expect(await call('disputes_decide', { disputeId, ...decision })).toMatchObject({
    ok: false,
    outcome: 'not_sent',
    untrusted: { error: { status: 404 } },
  });
  expect(await call('disputes_decide', { disputeId: scene.open, status: 'won' })).toMatchObject({
    outcome: 'not_sent',
    error: { code: 'input_needed' },
  });
  expect(asked).toEqual([]);
});
