// Draws the terminals of the README: runs storectl against the demo in a real terminal, and writes what is on the screen to
// docs/pictures (or the folder given) as SVG, once for light and once for dark pages. Run `npm run build` before.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const root = path.resolve(import.meta.dirname, '..');
const pictures = path.resolve(process.argv[2] ?? path.join(root, 'docs', 'pictures'));
const dispute = '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4';
const columns = 108;

/** What each picture shows. A step types a line and waits until the screen matches. */
const scenes = [
  {
    name: 'decision',
    title: 'A dispute: its case file, and the decision',
    steps: [
      [
        `storectl --demo disputes decide ${dispute} --status won --resolution Delivered`,
        /Type \S+ to confirm:/,
      ],
      [dispute.slice(0, 8), /✓ Decided.*\n(.*\n)+\$ $/],
    ],
    parts: [
      [/^\$ storectl/, /^2\. /],
      [/^✔ Decide/, /^✓ Decided/],
    ],
  },
  {
    name: 'restore',
    title: 'A backup, a restore, and the command that undoes it',
    steps: [
      ['BACKUP=$(storectl --demo backup create --label nightly --sections store,blog -q)', /-q\)\n\$ $/],
      ['storectl --demo store update --name "Wrong name"', /✓ Updated(.*\n)+\$ $/],
      [
        'storectl --demo backup restore $BACKUP --sections store --confirm $BACKUP',
        /✓ Restored(.*\n)+Undo: (.*\n)+\$ $/,
      ],
      ['storectl --demo history list', /Stored in (.*\n)+\$ $/],
    ],
    parts: [[/^\$ BACKUP/, /backup\.create +nightly/]],
  },
  {
    name: 'batch',
    title: 'Posts from many files: planned first, then sent',
    files: Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const number = String(index + 1).padStart(2, '0');
        return [
          `posts/ink-${number}.md`,
          `---\ntitle: Ink of the day ${number}\ntags: [ink]\n---\nSwatches.\n`,
        ];
      }),
    ),
    steps: [
      [
        'storectl --demo blog create posts/*.md',
        /\? Posts cannot be edited or deleted\. Create these posts\?.*$/,
      ],
      ['y', /2\d\/40/],
    ],
    parts: [
      [/^\$ storectl/, /^draft .*ink-03/],
      [/^Posts without/, /^created .*ink-08/],
      [/\d+\/40/, /\d+\/40/],
    ],
  },
];

const themes = {
  light: {
    background: '#f6f8fa',
    text: '#1f2328',
    palette: [
      '#1f2328',
      '#cf222e',
      '#116329',
      '#7d4e00',
      '#0969da',
      '#8250df',
      '#1b7c83',
      '#59636e',
      '#59636e',
    ],
  },
  dark: {
    background: '#161b22',
    text: '#e6edf3',
    palette: [
      '#8b949e',
      '#ff7b72',
      '#7ee787',
      '#e3b341',
      '#79c0ff',
      '#d2a8ff',
      '#56d4dd',
      '#e6edf3',
      '#8b949e',
    ],
  },
};

mkdirSync(pictures, { recursive: true });
for (const scene of scenes) {
  const lines = selectLines(await play(scene), scene.parts);
  for (const [theme, colors] of Object.entries(themes)) {
    writeFileSync(path.join(pictures, `${scene.name}-${theme}.svg`), drawSvg(lines, scene.title, colors));
  }
}

/** Runs a scene on a fresh machine. Returns the lines on the screen, each as cells. */
async function play({ steps, files = {} }) {
  const home = mkdtempSync(path.join(tmpdir(), 'storectl-pictures-'));
  const program = path.join(home, 'bin', 'storectl');
  for (const [name, text] of [
    ['bin/storectl', `#!/bin/sh\nexec '${process.execPath}' '${root}/bin/storectl.js' "$@"\n`],
    ...Object.entries(files),
  ]) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  }
  chmodSync(program, 0o755);
  const rows = 200;
  const shell = spawn('/bin/sh', [], {
    cols: columns,
    rows,
    cwd: home,
    env: {
      HOME: home,
      PATH: `${path.dirname(program)}:${process.env.PATH}`,
      PS1: '$ ',
      TZ: 'UTC',
      TERM: 'xterm-256color',
      COLORTERM: '',
      LANG: 'C.UTF-8',
      PAGER: 'cat',
      // What is still running when the scene ends would write there while the folder is removed.
      NODE_DISABLE_COMPILE_CACHE: '1',
    },
  });
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const closed = new Promise((resolve) => shell.onExit(resolve));
  let onChange = () => {};
  shell.onData((output) => emulator.write(output, () => onChange()));
  emulator.onData((answer) => shell.write(answer));
  const shows = (pattern) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${pattern} on:\n${textOf(emulator)}`)), 60_000);
      onChange = () => {
        if (!pattern.test(textOf(emulator))) return;
        clearTimeout(timer);
        resolve(cellsOf(emulator));
      };
      onChange();
    });
  try {
    let screen = await shows(/^\$ $/);
    for (const [line, pattern] of steps) {
      shell.write(`${line}\r`);
      screen = await shows(pattern);
    }
    return screen;
  } finally {
    shell.kill('SIGKILL');
    await closed;
    emulator.dispose();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function textOf(emulator) {
  return cellsOf(emulator)
    .map((cells) => cells.map(({ text }) => text).join(''))
    .map((line) => (line.startsWith('$ ') ? line.trimEnd().padEnd(2) : line.trimEnd()))
    .join('\n')
    .replace(/\n+$/, '');
}

function cellsOf({ buffer: { active }, rows, cols }) {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: cols }, (_, column) => {
      const cell = active.getLine(row)?.getCell(column);
      const color = cell?.isFgPalette() ? cell.getFgColor() : null;
      return { text: cell?.getChars() || ' ', color, bold: !!cell?.isBold(), dim: !!cell?.isDim() };
    }),
  );
}

/** The lines of each part, from one pattern to the other, with an ellipsis between the parts. */
function selectLines(lines, parts) {
  const text = lines.map((cells) =>
    cells
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
  const ellipsis = [[], [{ text: '⋯', color: 8, bold: false, dim: false }], []];
  return parts.flatMap(([first, last], index) => {
    const from = text.findIndex((line) => first.test(line));
    const to = text.findIndex((line, at) => at >= from && last.test(line));
    if (from === -1 || to === -1)
      throw new Error(`no lines from ${first} to ${last} in:\n${text.join('\n')}`);
    return [...(index === 0 ? [] : ellipsis), ...lines.slice(from, to + 1)];
  });
}

function drawSvg(lines, title, { background, text, palette }) {
  const [cellWidth, lineHeight, margin] = [7.83, 18, 16];
  const width = Math.ceil(columns * cellWidth + 2 * margin);
  const height = lines.length * lineHeight + 2 * margin;
  const rows = lines.map((cells, row) => {
    const words = wordsOf(cells).map(({ column, text: content, color, bold, dim }) => {
      const fill = color === null ? '' : ` fill="${palette[color % 16] ?? palette[color % 8]}"`;
      const weight = bold ? ' font-weight="bold"' : '';
      const opacity = dim ? ' opacity="0.65"' : '';
      const x = (margin + column * cellWidth).toFixed(1);
      const length = (content.length * cellWidth).toFixed(1);
      return `<tspan x="${x}" textLength="${length}"${fill}${weight}${opacity}>${escapeXml(content)}</tspan>`;
    });
    return `<text y="${margin + (row + 0.75) * lineHeight}">${words.join(' ')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="${text}">`,
    ...rows.filter((row) => row.includes('<tspan')),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Words of one style, each with its column: browsers differ in what they do with spaces. */
function wordsOf(cells) {
  const words = [];
  for (const [column, { text, color, bold, dim }] of cells.entries()) {
    if (text === ' ') continue;
    const last = words.at(-1);
    const isSame = last && last.column + last.text.length === column;
    if (isSame && last.color === color && last.bold === bold && last.dim === dim) last.text += text;
    else words.push({ column, text, color, bold, dim });
  }
  return words;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
