import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { command } from '../../../src/commands/service/start/start.ts';
import { parseConnectionString } from '../../../src/service/index.ts';

const flags = new Set(command.options?.map(({ flag }) => flag));

interface Compose {
  readonly services: Record<
    string,
    {
      readonly build?: { readonly context: string; readonly target: string };
      readonly environment: Record<string, string>;
      readonly depends_on?: Record<string, unknown>;
      readonly configs?: readonly { readonly source: string }[];
      readonly volumes?: readonly string[];
    }
  >;
  readonly configs: Record<string, { readonly content: string }>;
  readonly volumes: Record<string, unknown>;
}

test('examples/compose.yaml names what exists: the image, the settings, the database and its role', () => {
  const { services, configs, volumes } = parse(readFileSync('examples/compose.yaml', 'utf8')) as Compose;
  const { service, database } = services;
  expect(service?.build?.context).toBe('..');
  expect(readFileSync('Dockerfile', 'utf8')).toContain(` AS ${service?.build?.target}\n`);
  for (const [name, value] of Object.entries(service?.environment ?? {})) {
    if (name === 'PGPASSWORD') expect(value).toMatch(/^\$\{STORECTL_PASSWORD:\?/);
    else
      expect(flags).toContain(
        `--${name.replace('STORECTL_SERVICE_', '').toLowerCase().replaceAll('_', '-')}`,
      );
  }
  const address = new URL(parseConnectionString(service?.environment.STORECTL_SERVICE_DATABASE ?? '').url);
  expect(Object.keys(services)).toContain(address.hostname);
  expect(Object.keys(service?.depends_on ?? {})).toEqual([address.hostname]);
  const script = configs[database?.configs?.[0]?.source ?? '']?.content;
  expect(script).toContain('--set password="$$STORECTL_PASSWORD"');
  expect(script).toContain(`create role ${address.username} login nosuperuser nobypassrls`);
  expect(script).toContain(`create database ${address.pathname.slice(1)} owner ${address.username}`);
  expect(database?.volumes?.map((volume) => volume.split(':')[0])).toEqual(Object.keys(volumes));
});

test('examples/storectl@.service starts the service with options that exist, and lets it stop', () => {
  const unit = readFileSync('examples/storectl@.service', 'utf8');
  const lines = unit.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.filter((line) => !/^\[(Unit|Service|Install)\]$|^[A-Z]\w+=/.test(line))).toEqual([]);
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  expect(start).toMatch(/ storectl service start( |$)/);
  const used = start.match(/--[a-z-]+/g) ?? [];
  const settings = `${unit}\n${readFileSync('examples/storectl.env', 'utf8')}`;
  const variables = [...settings.matchAll(/\bSTORECTL_SERVICE_(\w+)=/g)].map(
    ([, name = '']) => `--${name.toLowerCase().replaceAll('_', '-')}`,
  );
  expect(variables.length).toBeGreaterThan(3);
  expect([...used, ...variables].filter((flag) => !flags.has(flag))).toEqual([]);
  expect(unit).toMatch(/^KillSignal=SIGTERM$/m);
  expect(unit).toMatch(/^NoNewPrivileges=yes$/m);
});
