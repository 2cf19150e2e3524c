import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './processes.mjs';
import { median, quartiles } from './statistics.mjs';

/** Everything that was measured, ready to be printed as JSON. */
export function toDocument(results, { rounds }) {
  const [cpu] = os.cpus();
  return {
    date: new Date().toISOString(),
    machine: {
      system: `${os.type()} ${os.release()} ${os.arch()}`,
      processor: cpu?.model ?? 'unknown',
      processors: os.cpus().length,
      memoryBytes: os.totalmem(),
      // Of the last minute: the benchmark itself, and whatever ran besides.
      load: os.loadavg()[0],
    },
    rounds,
    rows: results.map(toRow),
  };
}

function toRow({ row, version, subject, floor, peers, isMeasured }) {
  const { name, what, unit } = row;
  const about = { name, what, unit, node: version };
  const goals = row.goals(Number(/\d+/.exec(version)));
  if (!isMeasured) return { ...about, measured: false, goals, held: null };
  const medians = { subject: median(subject), floor: floor.length === 0 ? null : median(floor) };
  // Compares samples taken one after the other, so that the state of the machine cancels out.
  const ratios = floor.map((reference, at) => subject[at] / reference);
  const ratio = ratios.length === 0 ? null : median(ratios);
  const checked = goals.map((goal) => ({
    ...goal,
    held: holds(goal, goal.of === 'ratio' ? ratio : medians.subject),
  }));
  const others = Object.entries(peers).map(([peer, samples]) => {
    const value = median(samples);
    return {
      name: peer,
      median: value,
      ratio: medians.floor === null ? null : value / medians.floor,
      samples,
    };
  });
  return {
    ...about,
    measured: true,
    ratio,
    ratioQuartiles: ratio === null ? null : quartiles(ratios),
    goals: checked,
    held: checked.every(({ held }) => held),
    medians,
    samples: { subject, floor },
    peers: others,
  };
}

function holds({ atMost, atLeast }, value) {
  return atMost === undefined ? value >= atLeast : value <= atMost;
}

/** The results for people. */
export function printTable(document) {
  const { machine } = document;
  console.log(
    `${machine.processor}, ${machine.processors} processors, ${machine.system}, load ${machine.load.toFixed(1)}; medians of ${document.rounds} rounds`,
  );
  const lines = document.rows.flatMap((row) => [
    [row.name, row.node, ...cells(row)],
    ...(row.peers ?? []).map((peer) => [
      `  ${peer.name}`,
      '',
      number(peer.median, row.unit),
      '',
      ratioText(peer.ratio),
      '',
      '',
      '',
    ]),
  ]);
  const table = [
    ['row', 'Node', 'storectl', 'compared with', 'ratio', 'middle half', 'goal', 'holds'],
    ...lines,
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  for (const line of table) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  }
}

function cells(row) {
  const goal = row.goals.map((one) => goalText(one, row.unit)).join(', ');
  if (!row.measured) return ['', '', 'not measured', '', goal, ''];
  const floor = row.medians.floor === null ? '' : number(row.medians.floor, row.unit);
  const value = number(row.medians.subject, row.unit);
  const middleHalf = row.ratioQuartiles?.map((quartile) => quartile.toFixed(2)).join('–') ?? '';
  return [value, floor, ratioText(row.ratio), middleHalf, goal, row.held ? 'yes' : 'NO'];
}

function goalText({ of, atMost, atLeast }, unit) {
  const sign = atMost === undefined ? '≥' : '≤';
  const value = atMost ?? atLeast;
  return of === 'ratio' ? `${sign} ${value}×` : `${sign} ${value} ${unit}`;
}

function ratioText(ratio) {
  return ratio === null ? '' : `${ratio.toFixed(2)}×`;
}

function number(value, unit) {
  const digits = value >= 100 || unit === 'packages' ? 0 : 1;
  return `${value.toFixed(digits)} ${unit}`;
}

const begin = '<!-- bench: written by `npm run bench -- --readme` -->';
const end = '<!-- end of bench -->';

/** Writes the results into their place in bench/README.md, with a column for each Node. */
export async function writeReadme(document) {
  const file = path.join(root, 'bench', 'README.md');
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`bench/README.md has no place for the results: ${begin}`);
  const table = `${text.slice(0, from)}${begin}\n${readmeTable(document)}\n${text.slice(to)}`;
  writeFileSync(file, table);
}

function readmeTable({ rows, machine, date }) {
  const versions = [...new Set(rows.map(({ node }) => node))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const lines = names.map((name) => {
    const own = rows.filter((row) => row.name === name);
    const goal = [
      ...new Set(own.map((row) => row.goals.map((one) => goalText(one, row.unit)).join(', '))),
    ].join('; ');
    const values = versions.map((version) => {
      const row = own.find(({ node }) => node === version);
      if (row === undefined || !row.measured) return '';
      return row.ratio === null
        ? number(row.medians.subject, row.unit)
        : `${ratioText(row.ratio)} (${number(row.medians.subject, row.unit)})`;
    });
    return `| ${[own[0].what, ...values, goal].join(' | ')} |`;
  });
  return [
    `| what, and what it is compared with | ${versions.map((version) => `Node ${version.slice(1)}`).join(' | ')} | goal |`,
    `|---|${versions.map(() => '---|').join('')}---|`,
    ...lines,
    '',
    `Measured on ${date.slice(0, 10)} on ${machine.processors} processors (${machine.processor}), ${machine.system}.`,
  ].join('\n');
}
