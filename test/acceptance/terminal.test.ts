import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeEditor, replaceLine } from '../helpers/editor.ts';
import { programLine } from '../helpers/program.ts';
import { type ProgramScene, setScene } from '../helpers/scene.ts';
import { seedChange } from '../helpers/seed-history.ts';
import { openTerminal } from '../helpers/terminal.ts';

/** A shell in a terminal in which `storectl` is the built program. */
async function openShell({ machine }: ProgramScene, env: Readonly<Record<string, string>> = {}) {
  const terminal = await openTerminal(machine.folder, { ...machine.env, ...env });
  terminal.type(`storectl() { ${programLine} "$@"; }; clear`);
  await terminal.shows(/^\$$/);
  return terminal;
}

/** An editor that leaves a copy of what it was given (`seen-1.yaml`, `seen-2.yaml`, ...) and then runs the line of this call. */
function makeCopyingEditor(folder: string, lines: readonly string[]): string {
  const cases = lines.map((line, index) => `${index + 1}) ${line} ;;`).join('\n');
  return makeEditor(
    folder,
    `n=$(( $(cat '${folder}/count' 2>/dev/null || echo 0) + 1 ))
echo $n > '${folder}/count'
cp "$1" '${folder}/seen-'$n.yaml
case $n in
${cases}
esac`,
  );
}

test('settings edit: what the service refuses brings back the text with the reason on top, then it is saved', async () => {
  const scene = await setScene({ built: true });
  const { folder } = scene.machine;
  const editor = makeCopyingEditor(folder, [
    `${replaceLine(/start: .*/g, 'start: "99:99"')}; ${replaceLine(/summary: Handmade.*/, 'summary: Mine alone.')}`,
    replaceLine(/start: .*/g, 'start: "21:15"'),
  ]);
  const terminal = await openShell(scene, { EDITOR: editor });
  terminal.type('storectl settings edit; echo "exit $?"');
  await terminal.shows(/exit 0/);
  const second = readFileSync(path.join(folder, 'seen-2.yaml'), 'utf8');
  expect(second).toMatch(/^# Not saved:/);
  expect(second.split('\n\n')[0]).toMatch(/quietHours\.start/);
  expect(second).toContain('start: "99:99"');
  expect(second).toContain('summary: Mine alone.');
  const { stdout } = await scene.machine.run(['settings', 'show', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    quietHours: { start: '21:15' },
    discovery: { summary: 'Mine alone.' },
  });
});

test('settings edit, when another user saves while the editor is open: exit 6, nothing is overwritten, the text is shown', async () => {
  const scene = await setScene({ built: true });
  const other = scene.anotherMachine();
  const flag = path.join(scene.machine.folder, 'go');
  const editor = makeEditor(
    scene.machine.folder,
    `${replaceLine(/start: .*/g, 'start: "20:00"')}\necho editing\nwhile [ ! -e '${flag}' ]; do sleep 0.05; done`,
  );
  const terminal = await openShell(scene, { EDITOR: editor });
  terminal.type('storectl settings edit; echo "exit $?"');
  await terminal.shows(/editing/);
  await other.run(['settings', 'save', '--quiet-hours-end', '08:30']);
  writeFileSync(flag, '');
  const screen = await terminal.shows(/exit 6/);
  expect(screen).toMatch(
    /Your text is kept in \S+settings-\w+\.yaml\n(.*\n)*error: someone else changed the settings in the meantime; nothing was saved:(.*\n)+ +your text is kept, see above\n +run `storectl settings edit` again/,
  );
  expect(screen).toContain('\n  Quiet hours end: 07:00 → 08:30\n');
  const { stdout } = await other.run(['settings', 'show', '--json']);
  expect(JSON.parse(stdout).quietHours).toMatchObject({ start: '22:00', end: '08:30' });
});

test('Ctrl-C is a key like others in an editor that takes it: what is saved afterwards is saved', async () => {
  const scene = await setScene({ built: true });
  const { folder } = scene.machine;
  const editor = makeEditor(
    folder,
    `trap 'echo taken' INT
echo editing
while [ ! -e '${folder}/go' ]; do sleep 0.05; done
${replaceLine(/start: .*/g, 'start: "20:00"')}`,
  );
  const terminal = await openShell(scene, { EDITOR: editor });
  terminal.type('storectl settings edit; echo "exit $?"');
  await terminal.pressAt(/^editing/m, 'C-c');
  await terminal.pressAt(/taken/, 'C-c');
  await terminal.shows(/taken\n(.*\n)*.*taken/);
  writeFileSync(path.join(folder, 'go'), '');
  await terminal.shows(/exit 0/);
  const { stdout } = await scene.machine.run(['settings', 'show', '--json']);
  expect(JSON.parse(stdout).quietHours.start).toBe('20:00');
});

test('Ctrl-C while the answer is awaited: exit 10 with the id; while an editor runs: exit 130', async () => {
  const scene = await setScene({ built: true });
  const terminal = await openShell(scene, { EDITOR: 'sh -c "echo editing; sleep 20"' });
  scene.proxy.decide(({ method }) => (method === 'POST' ? { holdUntil: new Promise(() => {}) } : 'pass'));
  terminal.type('storectl backup create --label nightly --sections store; echo "exit $?"');
  await scene.proxy.received(1);
  terminal.press('C-c');
  const screen = await terminal.shows(/exit 10/);
  expect(screen).toMatch(/storectl resume \S+/);
  expect(screen).toMatch(/^error: the request was sent/m);
  expect(scene.proxy.requests).toHaveLength(1);

  terminal.type('clear; storectl settings edit; echo "exit $?"');
  await terminal.pressAt(/^editing/m, 'C-c');
  await terminal.shows(/exit 130/);
  expect(scene.proxy.writes()).toHaveLength(1);
});

test('resume asks about an update that was sent more than 20 hours ago: no leaves it, yes sends it', async () => {
  const scene = await setScene({ built: true });
  const seed = {
    operation: 'store.update',
    body: { name: 'Outlet' },
    state: 'unknown',
    hoursAgo: 21,
  } as const;
  await seedChange(scene.machine, scene.access, seed);
  const terminal = await openShell(scene);

  terminal.type('clear; storectl resume; echo "exit $?"');
  const asked =
    /more than 20 hours ago\. It replaces what was\s+changed since\.\n(.|\n)*Send this change again\? \(y\/N\)$/;
  await terminal.typeAt(asked, 'n');
  await terminal.shows(/exit 10/);
  expect(scene.proxy.writes()).toEqual([]);

  terminal.type('clear; storectl resume; echo "exit $?"');
  await terminal.typeAt(asked, 'y');
  await terminal.shows(/exit 0/);
  expect(scene.proxy.writes()).toMatchObject([{ method: 'PATCH', body: '{"name":"Outlet"}' }]);
});

test('CI=1, --no-input and a standard output that is no terminal ask nothing, even in a terminal', async () => {
  const scene = await setScene({ built: true });
  const terminal = await openShell(scene);
  const lines = [
    ['CI=1 storectl backup create', 'without CI'],
    ['storectl backup create --no-input', 'without --no-input'],
    ['storectl backup create > out.txt', 'without redirecting its output'],
    ['storectl backup create < /dev/null', 'without redirecting its input'],
  ] as const;
  for (const [index, [line, otherwise]] of lines.entries()) {
    // Not to be taken for the one before, which is on the screen until it is cleared.
    terminal.type(`clear; ${line}; echo "exit $? of ${index}"`);
    const screen = await terminal.shows(new RegExp(`exit \\d+ of ${index}`));
    expect(screen).toMatch(/exit 3/);
    expect(screen.replace(/\s+/g, ' ')).toContain(`run the command ${otherwise} to be prompted`);
  }
});
