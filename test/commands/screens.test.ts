import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { withPlaceholders } from '../acceptance/sessions/session.ts';
import { newMachine } from '../helpers/cli.ts';
import { typed } from '../helpers/typed.ts';

/** The most used commands, one after the other on one machine with the demo store. Words in braces are ids. */
const commands = [
  ['auth', 'status'],
  ['store', 'update', '--cashback-bp', '250'],
  ['store', 'update', '--name', 'Juniper', '--cashback-bp', '300'],
  ['store', 'show'],
  ['backup', 'create', '--label', 'nightly', '--sections', 'store,blog'],
  ['backup', 'create', '--label', 'weekly'],
  ['backup', 'restore', '{backup}', '--sections', 'store', '--confirm', '{backup}'],
  ['backup', 'list'],
  ['blog', 'create', '--title', 'Spring sale', '--content-md', 'All inks **20 %** off.'],
  ['blog', 'create', 'one.md', 'two.md'],
  ['blog', 'list'],
  ['disputes', 'list'],
  ['disputes', 'show', '{dispute}'],
  ['disputes', 'show', '01985f2e-0000-7a16-9c48-5d1e3f82a6b4'],
  ['disputes', 'decide', '--from', 'decisions.csv', '--dry-run'],
  typed`disputes decide {dispute} --status won --resolution Delivered --confirm {dispute}`,
  ['disputes', 'open', '--reason', 'Parcel never arrived', '--deadline-at', '2200-12-01'],
  ['settings', 'show'],
  ['settings', 'diff', '--quiet-hours-start', '21:00'],
  ['settings', 'save', '--quiet-hours-start', '21:00'],
  ['settings', 'save', '--quiet-hours-start', '99:99'],
  ['reclaim', 'appeal', '{reclaim}', '--text', 'The shop is open', '--confirm', '{reclaim}'],
  ['notify', 'add-endpoint', '--name', 'Team', '--url', '{webhook}', '--events', 'dispute_opened'],
  ['notify', 'mark-read', '--all'],
  ['history', 'list'],
  ['history', 'show', '{record}'],
  ['resume'],
  ['profile', 'list'],
];

/** Some that show a table, a record, a plan, a batch, a change and an error. */
const lookedAt = [
  ...[
    ['backup', 'create', '--label', 'weekly'],
    ['settings', 'diff', '--quiet-hours-start', '21:00'],
    ['doctor'],
  ],
  ...[
    ['blog', 'create', 'one.md', '--dry-run'],
    ['blog', 'create', 'one.md'],
    ['disputes', 'show', '{dispute}'],
  ],
  ['disputes', 'decide', '--from', 'decisions.csv', '--dry-run'],
  ...[
    ['disputes', 'list'],
    ['history', 'list'],
    ['backup', 'create', '--help'],
  ],
];

test.each([80, 120])('the most used commands in a terminal of %i columns', async (columns) => {
  const screens = await record(commands, columns, { NO_COLOR: '1' });
  await expect(screens).toMatchFileSnapshot(`screens-${columns}.txt`);
});

test('commands for a screen reader: a line for each field, no columns, no colors', async () => {
  const screens = await record(lookedAt, 80, { STORECTL_ACCESSIBLE: '1' });
  await expect(screens).toMatchFileSnapshot('screens-accessible.txt');
});

test('commands in colors', async () => {
  const screens = await record(lookedAt, 80, { FORCE_COLOR: '1' });
  await expect(screens).toMatchFileSnapshot('screens-color.txt');
});

/** Runs commands in a terminal of that width, and returns what they print, with names for colors. */
async function record(
  list: readonly (readonly string[])[],
  columns: number,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const machine = newMachine({ STORECTL_PROFILE: 'demo', PAGER: 'cat', ...env });
  const idOf = async (...args: string[]) => (await machine.run(args)).stdout.trim();
  const example = JSON.parse(await idOf('demo', 'info', '--json'));
  const dispute = example.disputes.find(({ status }: { status: string }) => status === 'open').id;
  const ids: Record<string, string> = {
    '{backup}': await idOf('backup', 'create', '--label', 'first', '--sections', 'store', '-q'),
    '{dispute}': dispute,
    '{reclaim}': example.reclaims[0].id,
    '{webhook}': 'https://discord.com/api/webhooks/1/token',
  };
  writeFileSync(path.join(machine.folder, 'one.md'), '---\ntitle: One\n---\nFirst.\n');
  writeFileSync(path.join(machine.folder, 'two.md'), '---\ntitle: Two\ntags: [ink]\n---\nSecond.\n');
  const rows = [`${dispute},won,Delivered`, `${example.disputes[0].id},lots,Delivered`];
  writeFileSync(
    path.join(machine.folder, 'decisions.csv'),
    ['disputeId,status,resolution', ...rows, 'x,won,'].join('\n'),
  );
  const screens: string[] = [];
  for (const command of list) {
    if (command.includes('{record}'))
      ids['{record}'] = (await idOf('history', 'list', '-q')).split('\n')[0] ?? '';
    const args = command.map((word) => ids[word] ?? word);
    let written = '';
    const onOutput = (text: string) => {
      written += text;
    };
    const { exitCode } = await machine.run(args, { columns, onOutput });
    // Progress bars and waits are drawn over.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that clears a line.
    const shown = `${written.replace(/[^\n]*\r\u001b\[K/g, '')}exit ${exitCode}\n`;
    for (const line of stripVTControlCharacters(shown).split('\n'))
      if (!env.STORECTL_ACCESSIBLE && !/Undo:|storectl/.test(line))
        expect(line.length).toBeLessThanOrEqual(columns);
    // Two posts are sent at the same time, so either may be first.
    const text = withPlaceholders(shown, { [machine.folder]: '<home>' }).replace(
      /\b(one|two)\b(?!\.(?!md))/gi,
      '<post>',
    );
    screens.push(`$ storectl ${command.join(' ')}\n${command.at(-1) === 'list' ? withoutIds(text) : text}`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that color.
  return screens.join('\n').replaceAll(/\u001b\[(\d+)m/g, (_, code: string) => `{${colors[code] ?? code}}`);
}

const colors: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  22: '/',
  31: 'red',
  32: 'green',
  33: 'yellow',
  39: '/',
};

/** A list without what depends on how long its shortest unique ids are. */
function withoutIds(list: string): string {
  return list
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]+)*\b|^(?:ID: )?[0-9a-z]{6}(\.\d+)?(?= {2}|$)/gm, '<id>')
    .replace(/before restor(e of|ing) .*?(?= {2})/gi, 'before …')
    .replace(/before[^…\n]*…/g, 'before …')
    .replace(/ {2,}/g, '  ');
}
