import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'runs-on': string;
  readonly environment?: string;
  readonly steps: readonly Step[];
}

function jobsOf(file: string): [name: string, job: Job][] {
  const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: Record<string, Job> };
  return Object.entries(jobs);
}

const workflows = readdirSync('.github/workflows').map((file) => `.github/workflows/${file}`);
const steps = workflows.flatMap((file) => jobsOf(file).flatMap(([, job]) => job.steps));
const release = jobsOf('.github/workflows/release.yml');

test('every action of others is pinned by its commit', () => {
  const used = steps.map(({ uses }) => uses).filter((uses) => uses !== undefined && uses !== './');

  expect(used.filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses ?? ''))).toEqual([]);
  expect(used.length).toBeGreaterThan(0);
});

test('what a workflow runs is one line, and its scripts are run by tests', () => {
  const lines = steps.map(({ run }) => run).filter((run) => run !== undefined);
  const scripts = new Set(lines.flatMap((line) => line.match(/scripts\/[\w/-]+\.\w+/g) ?? []));
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join('test', file), 'utf8'))
    .join('');

  expect(lines.filter((line) => line.includes('\n'))).toEqual([]);
  expect(scripts.size).toBeGreaterThan(5);
  for (const script of scripts) {
    expect(existsSync(script), script).toBe(true);
    expect(tests.includes(path.basename(script)), `no test runs ${script}`).toBe(true);
  }
});

test('what has rights to publish runs no package and no program of the build', () => {
  const publishing = release.filter(([, { permissions = {} }]) =>
    Object.values(permissions).includes('write'),
  );

  expect(publishing.map(([name]) => name)).toEqual(['publish-npm', 'publish-images', 'publish-release']);
  for (const [, { environment, steps: own }] of publishing) {
    const lines = own.map(({ run = '' }) => run).join('\n');
    expect(environment).toBe('release');
    expect(lines).not.toMatch(/npm (ci|install|i|exec|run|test)|npx|smoke|docker build/);
  }
});

test('everything is built and tried before anything is published', () => {
  const needs = (name: string): string[] => {
    const found = release.find(([other]) => other === name)?.[1].needs ?? [];
    return [found].flat().flatMap((other) => [other, ...needs(other)]);
  };

  for (const name of ['publish-npm', 'publish-images', 'publish-release']) {
    expect(needs(name)).toEqual(expect.arrayContaining(['check', 'package', 'images', 'single']));
  }
});
