import { expect, test } from 'vitest';
import { demoMachine, openSession } from './session.ts';

test('disputes open', async () => {
  const session = await openSession('storectl disputes open');
  expect(await session.shows(/Reason:$/)).toMatch(/\? Reason:$/);
  session.type('Parcel never arrived');
  expect(await session.shows(/⏎ select$/)).toMatchInlineSnapshot(`
    "✔ Reason: Parcel never arrived
    demo → store Juniper & Ink (5e0c7a52)

    Kind    payment
    Reason  Parcel never arrived

    ? Open this dispute?
    ❯ Yes
      Edit first
      No, cancel

    ↑↓ navigate • ⏎ select"
  `);
  session.press('Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl disputes open
    demo: example data on this machine, not a real store
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Reason: Parcel never arrived
    demo → store Juniper & Ink (5e0c7a52)

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
    Idempotency key  <idempotency-key>
    Created          <time>
    Updated          <time>
    Store ID         <uuid>
    Environment      live
    exit 0"
  `);
});

test('disputes show', async () => {
  const session = await openSession('storectl disputes show', { rows: 70 });
  expect(await session.shows(/⏎ select$/)).toMatchInlineSnapshot(`
    "$ storectl disputes show
    demo: example data on this machine, not a real store
    ? Which dispute do you want to see?
    ❯ <id>  open, Buyer does not recognize the charge of 84.50 EUR.
      <id>  won, Buyer says that the parcel never arrived.
      Other…

    ↑↓ navigate • ⏎ select"
  `);
  session.press('Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "Order ID          <uuid>
    Buyer email       a.novak@mail.example
    Provider case ID  PP-D-118301
    Created           <time>
    Updated           <time>

    Opened   Today                 Deadline                      Appeal deadline
    ●━━━━━━━━◆─────────────────────●─────────────────────────────●
    <day><day><day><day>

    Reason
      Buyer does not recognize the charge of 84.50 EUR.

    Risk signals
      IP country       CZ
      Card country     CZ
      Previous orders  3
      Address matches  yes

    Evidence (4)

    1. Parcel number [tracking_number]
      submitted by system, <time>
      id <uuid>

      00340434161094042557

    2. Emails with the buyer [email_thread]
      submitted by owner, <time>
      id <uuid>

      From: a.novak@mail.example
      To: hello@juniper-ink.example
      Subject: Order JI-2093

      Hello, could you add a gift note to my order? It is for my sister.
      Thanks, A. Novak

      From: hello@juniper-ink.example
      To: a.novak@mail.example
      Subject: Re: Order JI-2093

      Of course. What should it say? The parcel goes out tomorrow morning.

      From: a.novak@mail.example
      To: hello@juniper-ink.example
      Subject: Re: Re: Order JI-2093

      "For your letters to everyone but me." And the forest-green ribbon, please.
      It arrived on Tuesday, she loves it. Thank you so much!

    3. Photo of the parcel at the door, by the carrier [photo]
      submitted by owner, <time>
      file evidence/JI-2093/delivery-photo.jpg
      id <uuid>

    4. Refund policy at the time of the order [policy]
      submitted by owner, <time>
      id <uuid>

      Unused items can be returned within 30 days; bottled ink only if unopened. We refund the original
      payment method within 5 days of receiving them.

    Other fields
      Idempotency key  example-open
      Store ID         <uuid>
      Environment      live
    exit 0"
  `);
});

test('disputes decide', async () => {
  const session = await openSession('storectl disputes decide', { rows: 80 });
  await session.pressAt(/Which dispute do you want to decide\?\n(.*\n)+.*select$/, 'Enter');
  expect(await session.shows(/Status:\n(.*\n)+.*select$/)).toMatch(
    /Dispute <uuid>\nStatus +open\n(.*\n)+Evidence \(4\)\n(.*\n)+\? Status:\n❯ won\n {2}lost\n {2}withdrawn\n {2}Other…\n/,
  );
  session.press('Enter');
  await session.typeAt(/Resolution:$/, 'The carrier confirmed delivery');
  await session.shows(/to confirm:$/);
  const { id } = await openDispute(session);
  session.type(`${id}x`);
  await session.typeAt(/That doesn.t match/, id);
  const screen = await session.ends();
  expect(screen.slice(screen.indexOf('✔ Status'))).toMatchInlineSnapshot(`
    "✔ Status: won
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

test('disputes decide: any id can be given if no dispute is open', async () => {
  const machine = demoMachine();
  const id = (await openDispute({ machine })).id;
  await machine.run(['disputes', 'decide', id, '--status', 'won', '--resolution', 'Seen', '--confirm', id]);
  const session = await openSession('storectl disputes decide', { machine });
  expect(await session.shows(/Dispute ID:$/)).toMatchInlineSnapshot(`
    "$ storectl disputes decide
    demo: example data on this machine, not a real store
    No open disputes seen on this machine. Enter an id.
    Press Esc for the previous question, Ctrl-C to cancel.
    ? Dispute ID:"
  `);
  session.type('not an id');
  await session.pressAt(/must not contain spaces/, 'C-u');
  session.type(id);
  expect(await session.ends()).toMatch(
    /Evidence \(4\)\n(.*\n)+error: already decided as won; nothing was sent\n {2}a decision is final; run `storectl disputes show <uuid>` to see it\nexit 6$/,
  );
});

test('reclaim appeal', async () => {
  const session = await openSession('storectl reclaim appeal');
  expect(
    await session.shows(/Which reclaim notice do you want to appeal\?\n(.*\n)+.*select$/),
  ).toMatchInlineSnapshot(`
    "$ storectl reclaim appeal
    demo: example data on this machine, not a real store
    Press Esc for the previous question, Ctrl-C to cancel.
    ? Which reclaim notice do you want to appeal?
    ❯ <id>  juniper-ink, noticed
      Other…

    ↑↓ navigate • ⏎ select"
  `);
  session.press('Enter');
  await session.typeAt(/Text:$/, 'The shop is open: last order yesterday');
  expect(await session.shows(/to confirm:$/)).toMatchInlineSnapshot(`
    "✔ Text: The shop is open: last order yesterday
    demo → store Juniper & Ink (5e0c7a52)

    Text  The shop is open: last order yesterday

    ? Send this appeal? This is final. Type <id> to confirm:"
  `);
  const { machine } = session;
  const { reclaims } = JSON.parse((await machine.run(['demo', 'info', '--json'])).stdout);
  session.type(reclaims[0].id);
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl reclaim appeal
    demo: example data on this machine, not a real store
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Which reclaim notice do you want to appeal? <id>  juniper-ink, noticed
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
