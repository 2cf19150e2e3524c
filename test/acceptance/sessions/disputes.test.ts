import { expect, test } from 'vitest';
import { demoMachine, openSession } from './session.ts';

test('disputes open', async () => {
  const session = await openSession('storectl disputes open');
  expect(await session.shows(/Reason:$/)).toMatch(/\? Reason:$/);
  session.type('Parcel never arrived');
  await session.pressAt(/⏎ select$/, 'Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl disputes open
    demo: example data on this machine, not a real store
    ✔ Reason: Parcel never arrived
    demo → store Juniper & Ink (5e0c7a52)
    Press Esc for the previous question, Ctrl-C to cancel.

    Kind    payment
    Reason  Parcel never arrived

    ✔ Open this dispute? Yes
    ✓ Opened dispute <uuid>
    ID               <uuid>
    Kind             payment
    Status           open
    Reason           Parcel never arrived
    Deadline         <time>
    Appeal deadline  <time>
    Created          <time>
    Updated          <time>
    exit 0"
  `);
});

test('disputes show', async () => {
  const session = await openSession('storectl disputes show', { rows: 70 });
  await session.pressAt(
    /❯ \S+ +due in 5 days, \S+, PP-D-118301, Buyer does not recognize .*\n(?: {4}.*\n)? +\S+ +won, .*\n +Other…\n(.*\n)*.*select$/,
    // The number that a payment provider has on its letters finds it.
    ...'118301',
  );
  await session.pressAt(/❯ \S+ +due in 5 days, .*\n(?: {4}.*\n)? +Other…/, 'Enter');
  expect(await session.ends()).toMatch(/^●━+◆─+●─+●\n(.*\n)+Evidence \(4\)\n(.*\n)+exit 0$/m);
});

test('disputes decide', async () => {
  const session = await openSession('storectl disputes decide', { rows: 100 });
  await session.pressAt(/Which dispute do you want to decide\?\n(.*\n)+.*select$/, 'Enter');
  await session.pressAt(
    /Dispute \S+\nStatus +open\n(.*\n)+Evidence \(4\)\n(.*\n)+\? Status \(.*\):\n❯ won\n {2}lost\n {2}withdrawn\n/,
    'Enter',
  );
  await session.typeAt(/Resolution:$/, 'The carrier confirmed delivery');
  await session.shows(/to confirm:$/);
  const { id } = await openDispute(session);
  session.type(`${id}x`);
  await session.typeAt(/That doesn.t match/, id);
  const screen = await session.ends();
  expect(screen.slice(screen.indexOf('✔ Status'))).toMatchInlineSnapshot(`
    "✔ Status (outcome for the store): won
    ✔ Resolution: The carrier confirmed delivery
    demo → store Juniper & Ink (5e0c7a52)

    Status      won
    Resolution  The carrier confirmed delivery

    ✔ Decide this dispute as won? This is final. Type <id> to confirm:
      <uuid>
    ✓ Decided dispute <uuid> as won
    Status      open → won
    Resolution  The carrier confirmed delivery
    exit 0"
  `);
});

test('disputes decide: if no dispute is open, it says so and asks for nothing', async () => {
  const machine = demoMachine();
  const id = (await openDispute({ machine })).id;
  await machine.run(['disputes', 'decide', id, '--status', 'won', '--resolution', 'Seen', '--confirm', id]);
  const session = await openSession('storectl disputes decide', { machine });
  expect(await session.ends()).toMatch(
    /error: no open disputes; nothing was sent\n {2}run `storectl disputes list` to see all disputes\nexit 5$/,
  );
  const restore = await openSession('storectl backup restore', { machine });
  expect(await restore.ends()).toMatch(/error: no backups; nothing was restored\n(.*\n)*exit 5$/);
});

test('reclaim appeal', async () => {
  const session = await openSession('storectl reclaim appeal');
  await session.pressAt(
    /Which reclaim notice do you want to appeal\?\n❯ \S+ +juniper-ink, noticed, \d+ hours ago\n(.*\n)*.*select$/,
    'Enter',
  );
  await session.typeAt(/Text:$/, 'The shop is open: last order yesterday');
  await session.shows(/to confirm:$/);
  const { machine } = session;
  const { reclaims } = JSON.parse((await machine.run(['demo', 'info', '--json'])).stdout);
  session.type(reclaims[0].id);
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl reclaim appeal
    demo: example data on this machine, not a real store
    ✔ Which reclaim notice do you want to appeal? <id>  juniper-ink, noticed, <age>
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Text: The shop is open: last order yesterday
    demo → store Juniper & Ink (5e0c7a52)

    Text  The shop is open: last order yesterday

    ✔ Send this appeal? This is final. Type <id> to confirm: <uuid>
    ✓ Appealed reclaim notice <uuid>
    Reclaim notice ID  <uuid>
    Status             appealed
    Text               The shop is open: last order yesterday
    Appealed           <time>
    exit 0"
  `);
});

async function openDispute({ machine }: Pick<Awaited<ReturnType<typeof openSession>>, 'machine'>) {
  const { disputes } = JSON.parse((await machine.run(['demo', 'info', '--json'])).stdout);
  return disputes.find(({ status }: { status: string }) => status === 'open');
}
