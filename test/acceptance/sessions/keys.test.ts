import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeEditor, replaceLine } from '../../helpers/editor.ts';
import type { ProgramMachine } from '../../helpers/program.ts';
import { setScene } from '../../helpers/scene.ts';
import { effectsOf } from '../effects.ts';
import { demoMachine, openSession, type Session } from './session.ts';

/** Escape, and then the screen that it leads to: a key that follows at once would be taken for a part of it. */
async function escapeTo({ press, shows }: Session, pattern: RegExp): Promise<string> {
  press('Escape');
  return shows(pattern);
}

/** Escape at a question that has none before it: the screen stays, so nothing but time shows that it was no part of another key. */
async function escapeInVain({ press }: Session): Promise<void> {
  press('Escape');
  await setTimeout(1000);
}

/** The first that the demo has of its `disputes` or `reclaims`. */
async function exampleId(machine: ProgramMachine, kind: string): Promise<string> {
  const { stdout } = await machine.run(['demo', 'info', '--json']);
  return JSON.parse(stdout)[kind][0].id;
}

test('Escape goes back through all the questions, from the last one on, and every answer is still there', async () => {
  const session = await openSession('storectl backup create');
  await session.typeAt(/Label:$/, 'nightly');
  await session.pressAt(/⏎ submit$/, 'Down', 'Down', 'Space', 'Down', 'Space', 'Enter');
  await session.shows(/❯ Yes\n(.*\n)+.*select$/);
  await escapeTo(session, /❯◉ store\n(.*\n)+.*submit$/);
  await escapeTo(session, /Label: nightly$/);
  session.press(' cop');
  await session.shows(/Label: nightly cop$/);
  await escapeInVain(session);
  await session.typeAt(/Label: nightly cop$/, 'y');
  await session.pressAt(/nightly copy\n(.*\n)+ ◯ settings\n(.*\n)+.*submit$/, 'Down', 'Space', 'Enter');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(
    /✔ Label: nightly copy\n✔ Sections: store\n(.*\n)+✓ Created backup "nightly copy" \(store\)\n/,
  );
});

test('Escape where the id is to be typed goes back to what was answered before', async () => {
  const session = await openSession('storectl reclaim appeal');
  await session.pressAt(/⏎ select$/, 'Enter');
  await session.typeAt(/Text:$/, 'We are open');
  await session.shows(/to confirm:$/);
  await escapeTo(session, /Text: We are open$/);
  session.type(' daily');
  await session.pressAt(/We are open daily\n(.*\n)+.*to confirm:$/, 'C-c');
  expect(await session.ends()).toMatch(/exit 130/);
});

test('an id that is not offered, and Escape back to the list', async () => {
  const session = await openSession('storectl disputes show');
  await session.pressAt(/⏎ select$/, 'Down', 'Down', 'Enter');
  await session.shows(/Dispute ID:$/);
  await escapeTo(
    session,
    /Which dispute do you want to see\?\n +\S+ +due in .*\n(?: {4}.*\n)? +\S+ +won, .*\n❯ Other…\n\n.*select$/,
  );
  session.press('Enter');
  await session.shows(/Dispute ID:$/);
  // One letter too many, and then another dispute.
  const id = await exampleId(session.machine, 'disputes');
  session.type(`${id}x`);
  await session.shows(/> This machine has seen no id that begins with this\. Type the whole id\.$/);
  session.press('BSpace', 'BSpace');
  session.type('6');
  expect(await session.shows(/not found in store(.*\n)+.*select$/)).toMatchInlineSnapshot(`
    "✔ Dispute ID: <uuid>

    error: dispute <uuid> not found in store
    <uuid>
      check the id, the store and the base URL
      run \`storectl disputes list\` to see known ids

    ? Which dispute do you want to see?
      <id>  due in 5 days, a.novak@mail.example, PP-D-118301, Buyer does not recognize the charge
        of 84.50 EUR.
      <id>  won, m.weber@mail.example, PP-D-104822, Buyer says that the parcel never arrived.
    ❯ Other…

    ↑↓ navigate • ⏎ select"
  `);
  session.press('Enter');
  await session.pressAt(/Dispute ID: \S+$/, 'BSpace');
  session.type('5');
  expect(await session.ends()).toMatch(/Reason\n {2}Buyer says that.*(\n.*)+\nexit 0$/);
});

test('an id that the service does not know is asked for again, and the other answers are kept', async () => {
  const machine = demoMachine();
  const id = await exampleId(machine, 'reclaims');
  const session = await openSession(`storectl reclaim appeal ${id}x`, { machine });
  await session.typeAt(/Text:$/, 'We are open');
  await session.typeAt(/to confirm:$/, `${id}x`);
  await session.pressAt(/not found in store(.*\n)+.*select$/, 'Enter');
  await session.pressAt(/Reclaim notice ID: \S+$/, 'BSpace', 'Enter');
  await session.typeAt(/not found in store(.*\n)+.*We are open\n\n.*to confirm:$/, id);
  expect(await session.ends()).toMatch(/Appealed .*\n(.*\n)*exit 0$/);
  const { stdout } = await machine.run(['history', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ state: 'applied' }, { state: 'rejected' }]);
});

test('what is asked about an id comes after one that the service knows', async () => {
  const session = await openSession('storectl disputes decide', { rows: 120 });
  await session.pressAt(/⏎ select$/, 'Down', 'Enter');
  await session.typeAt(/Dispute ID:$/, '5e0c7a52-0000-4000-8000-000000000009');
  await session.pressAt(/not found in store(.*\n)+.*select$/, 'Up', 'Enter');
  await session.pressAt(/Evidence \(4\)(.*\n)+\? Status \(.*\):\n/, 'C-c');
  expect(await session.ends()).toMatch(/cancelled; nothing was sent\nexit 130/);
});

test('a refused value is asked for again; each attempt has its own record, and one has an effect', async () => {
  const { machine, proxy, service } = await setScene({ built: true });
  let refusals = 0;
  proxy.decide(({ method }) => {
    refusals += 1;
    if (method !== 'POST' || refusals > 1) return 'pass';
    const errors = [{ pointer: '/label', code: 'taken', detail: 'is used already' }];
    const body = JSON.stringify({ title: 'Not valid', status: 422, code: 'validation_failed', errors });
    return { status: 422, headers: { 'content-type': 'application/problem+json' }, body };
  });
  const session = await openSession('storectl backup create', { machine });
  await session.typeAt(/Label:$/, 'nightly');
  await session.pressAt(/⏎ submit$/, 'Enter');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  await session.typeAt(/Label: nightly$/, ' 2');
  await session.pressAt(/nightly 2\n(.*\n)+❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(
    /Label: is used already\n\n✔ Label: nightly 2\n\nLabel +nightly 2\n(.*\n)+✓ Created backup "nightly 2" \(store, blog, .*\)\n/,
  );

  const keys = proxy.writes().map(({ body }) => JSON.parse(body).idempotencyKey);
  expect(new Set(keys).size).toBe(2);
  const { stdout } = await machine.run(['history', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ state: 'applied' }, { state: 'rejected' }]);
  expect((await effectsOf(service)).backups).toMatchObject([{ label: 'nightly 2' }]);
});

test('a title that was used before leads to the question for a slug', async () => {
  const machine = demoMachine();
  await machine.run(['blog', 'create', '--title', 'Hello inks', '--content-md', 'Old']);
  const session = await openSession('storectl blog create', { machine });
  await session.typeAt(/Title:$/, 'Hello inks');
  await session.typeAt(/Content \(Markdown\):$/, 'New');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  await session.typeAt(/409 slug_taken\): .* the slug\n"hello-inks"\n\n\? Slug:$/, 'hello-again');
  await session.pressAt(/hello-again\n(.*\n)+❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(/Created post "Hello inks"(.*\n)+.*hello-again(.*\n)+exit 0/);
});

test('an answer that may have been applied is not asked for again: exit 10', async () => {
  const { machine, proxy } = await setScene({ built: true });
  proxy.decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
  const session = await openSession('storectl blog create', { machine });
  await session.typeAt(/Title:$/, 'Spring sale');
  await session.typeAt(/Content \(Markdown\):$/, 'Soon.');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(
    /Create this post as a draft\? Yes\n(.*\n)*\nYour text:\n\nSoon\.\n\nerror: the request was sent, but it is in doubt whether it was applied: (.*\n)+ {2}run `storectl resume <record>` .*\nexit 10$/,
  );
  // The service applies the key once, so the command itself has sent it again.
  expect(new Set(proxy.writes().map(({ bytes }) => bytes)).size).toBe(1);
});

test('Ctrl-C after a refusal says that it had no effect', async () => {
  const session = await openSession('storectl disputes open --deadline-at 9999-12-31T23:59:00-12:00');
  await session.typeAt(/Reason:$/, 'Parcel never arrived');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  await session.pressAt(/\? Deadline: .*-12:00$/, 'C-c');
  expect(await session.ends()).toMatch(
    /Parcel never arrived\n\nerror: cancelled; the service rejected the earlier request, so nothing was changed\nexit 130$/,
  );
});

const login = 'auth login --profile main --base-url https://api.example.com --store s';

test.each([
  ['C-c', 'a text', 'backup create', /Label:$/],
  ['C-c', 'a choice', 'disputes show', /⏎ select$/],
  ['C-c', 'several choices', 'store update', /⏎ submit$/],
  ['C-c', 'a secret', login, /not shown\):$/],
  ['C-c', 'yes or no', 'demo reset', /\(y\/N\)$/],
  ['C-d', 'a text', 'backup create', /Label:$/],
  ['C-d', 'a choice', 'disputes show', /⏎ select$/],
  ['C-d', 'a secret', login, /not shown\):$/],
])(
  '%s at %s: exit 130, the cursor is shown and the terminal echoes as before',
  async (key, _, command, question) => {
    const machine = demoMachine();
    const env = { STORECTL_API_KEY: '' };
    const line = `stty -a > before; storectl ${command}; echo "exit $?"; stty -a > after`;
    const session = await openSession(line, { machine, env });
    await session.shows(question);
    session.press(key);
    const screen = await session.shows(/exit 130\n\$$/);
    expect(screen).toContain(command === login ? 'cancelled; the key was not stored' : 'cancelled');
    expect(session.isCursorShown()).toBe(true);
    const settingsOf = (name: string) => readFileSync(path.join(machine.folder, name), 'utf8');
    expect(settingsOf('after')).toBe(settingsOf('before'));
  },
);

test('STORECTL_ACCESSIBLE: a whole session in lines of text', async () => {
  const session = await openSession('storectl backup create', { env: { STORECTL_ACCESSIBLE: '1' } });
  await session.typeAt(/Label:$/, '');
  await session.typeAt(/A value is required\.\n.*Label:$/, 'nightly');
  await session.typeAt(/Numbers, comma-separated \(Enter for 1, 2, 3, 4\):$/, '<');
  await session.typeAt(/Label \(Enter for nightly\):$/, '');
  await session.typeAt(/nightly\):\n(.*\n)+Numbers, comma-separated .*:$/, '7');
  await session.typeAt(/Invalid answer(.*\n)+.*separated .*:$/, '1, 2');
  await session.typeAt(/1: Yes\n(.*\n)+Number:$/, '2');
  await session.typeAt(/to change\?\n(.*\n)+.*separated:$/, '1');
  await session.typeAt(/Label \(Enter for nightly\):$/, 'weekly');
  await session.typeAt(/weekly\n(.*\n)+Number:$/, '1');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl backup create
    demo: example data on this machine, not a real store
    Label:
    Invalid answer: A value is required.
    Label: nightly
    Type < and press Enter for the previous question, Ctrl-C to cancel.
    Sections:
    1: store
    2: blog
    3: settings
    4: endpoints
    Numbers, comma-separated (Enter for 1, 2, 3, 4): <
    Label (Enter for nightly):
    Sections:
    1: store
    2: blog
    3: settings
    4: endpoints
    Numbers, comma-separated (Enter for 1, 2, 3, 4): 7
    Invalid answer: enter numbers from 1 to 4.
    Sections:
    1: store
    2: blog
    3: settings
    4: endpoints
    Numbers, comma-separated (Enter for 1, 2, 3, 4): 1, 2
    demo → store Juniper & Ink (5e0c7a52)

    Label: nightly
    Sections: store, blog

    Create this backup?
    1: Yes
    2: Edit first
    3: No, cancel
    Number: 2
    What do you want to change?
    1: Label (now nightly)
    2: Sections (now store, blog)
    Numbers, comma-separated: 1
    Label (Enter for nightly): weekly

    Label: weekly
    Sections: store, blog

    Create this backup?
    1: Yes
    2: Edit first
    3: No, cancel
    Number: 1
    ✓ Created backup "weekly" (store, blog)
    ID: <uuid>
    Version: 1
    Label: weekly
    Sections: store, blog
    Created: <time>
    exit 0"
  `);
});

test('40 columns and 20 rows: no word is cut, and the questions about a dispute are seen', async () => {
  const session = await openSession('storectl disputes decide', { columns: 40, rows: 20 });
  expect(await session.shows(/⏎ select$/)).toMatchInlineSnapshot(`
    "$ storectl disputes decide
    demo: example data on this machine, not
    a real store
    ? Which dispute do you want to decide?
    ❯ <id>  due in 5 days,
        a.novak@mail.example, PP-D-118301,
        Buyer does not recognize the charge
        of 84.50 EUR.
      Other…

    ↑↓ navigate • ⏎ select"
  `);
  session.press('Enter');
  await session.pressAt(
    /refund the original payment method\n(.*\n)+\? Status \((.*\n)*.*\):\n❯ won\n(.*\n)*.*select$/,
    'Enter',
  );
  await session.typeAt(/Resolution:$/, 'Delivered, as the carrier has confirmed');
  await session.typeAt(/to confirm:$/, 'no');
  await session.pressAt(/Ctrl-C to cancel\.$/, 'C-c');
  expect(await session.ends()).toMatch(
    /> That doesn't match\. Try again, or\n +press Ctrl-C to cancel\.\n(.*\n)*error: cancelled; nothing was sent\nexit 130$/,
  );
});

test('an editor that is not there: exit 2 says so', async () => {
  const session = await openSession('storectl settings edit', { env: { EDITOR: 'nosuch --wait' } });
  expect(await session.ends()).toMatch(
    /error: the editor "nosuch --wait" failed.*\n {2}set VISUAL or EDITOR.*\nexit 2$/,
  );
});

test('an editor that is left with an error cancels; a text that was written is kept', async () => {
  const machine = demoMachine();
  const env = { EDITOR: makeEditor(machine.folder, 'exit 1') };
  const untouched = await openSession('storectl settings edit', { machine, env });
  const shown = await untouched.ends();
  expect(shown).toMatch(
    /error: cancelled: the editor ended with exit status 1; nothing was saved\nexit 130$/,
  );
  expect(shown).not.toContain('kept');

  makeEditor(machine.folder, `${replaceLine(/22:00/, '21:00')}\nexit 1`);
  const written = await openSession('storectl settings edit', { machine, env });
  expect(await written.ends()).toMatch(
    /Your text is kept in .*(.*\n)+error: cancelled: the editor ended with exit status 1; nothing was saved\nexit 130$/,
  );
});

test('Escape at the first question does nothing, and at a later one keeps what stands there', async () => {
  const session = await openSession('storectl backup create');
  await session.pressAt(/Label:$/, 'nigh');
  await session.shows(/Label: nigh$/);
  await escapeInVain(session);
  await session.typeAt(/Label: nigh$/, 'tly');
  await session.pressAt(/Label: nightly\n(.*\n)*.*submit$/, 'Space', 'set');
  await session.shows(/Sections: set\n/);
  // Escape clears what was typed to search, and then goes back.
  await escapeTo(session, /Sections:\n ◯ store\n ◉ blog\n❯◉ settings\n(.*\n)*.*submit$/);
  await escapeTo(session, /Label: nightly$/);
  session.press('Enter');
  await session.pressAt(/Sections:\n ◯ store\n ◉ blog\n❯◉ settings\n(.*\n)*.*submit$/, 'Enter');
  await session.shows(/Sections: blog, settings, endpoints\n/);
});

test('a pasted text of many lines is one answer, and answers no question but the one it was pasted into', async () => {
  const { machine, proxy } = await setScene({ built: true });
  const text = Array.from({ length: 200 }, (_, index) => `Line ${index} of a töxt.`).join('\n');
  const session = await openSession('storectl blog create', { machine });
  await session.shows(/Title:$/);
  session.paste('Spring\nsale');
  session.press('Enter');
  await session.shows(/Spring sale\n.*\n.*Content \(Markdown\):$/);
  session.paste(text);
  await session.pressAt(/: Line 0.*\n(.*\n)*.*⏎Line 199\s+of a töxt\.$/, 'Enter');
  await session.shows(/❯ Yes\n(.*\n)+.*select$/);
  session.paste('no\n\nyes\n\n');
  // It filters the answers, and fits none.
  await session.pressAt(/draft\? no {2}yes\n {2}No matches$/m, 'Enter', 'C-u');
  await session.shows(/❯ Yes\n(.*\n)+.*select$/);
  expect(proxy.writes()).toEqual([]);
  session.press('Enter');
  await session.ends();
  const sent = proxy.writes().map(({ body }) => JSON.parse(body));
  expect(sent).toEqual([{ title: 'Spring sale', contentMd: text }]);
});

test('a pasted appeal keeps its line breaks, and can be edited before it is sent', async () => {
  const { machine, proxy, example } = await setScene({ built: true });
  const id = example.reclaims[0]?.id ?? '';
  const session = await openSession(`storectl reclaim appeal ${id}`, { machine, columns: 80 });
  await session.shows(/Text.*:$/);
  session.paste('The name is ours.\r\nSee the register.\n');
  session.press('Enter');
  await session.pressAt(/Text +The name is ours\.\n +See the register\.\n(.*\n)*.*confirm:$/, 'Escape');
  await session.typeAt(/: The name is ours\.⏎See the reg\n?ister\.$/, ' Thanks.');
  await session.typeAt(/register\. Thanks\.\n(.*\n)*.*Type \S+\s+to\s+confirm:$/, id);
  await session.ends();
  const sent = proxy.writes().map(({ body }) => JSON.parse(body));
  expect(sent).toEqual([{ text: 'The name is ours.\nSee the register. Thanks.' }]);
});
