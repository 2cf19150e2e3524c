import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/processes.mjs';

const shared = {
  what: 'what `npm install --omit=optional` of the package puts on the disk',
  perRound: 1,
  once: true,
};

/** Installs the packed package into a fresh folder, with npm's own cache where it can, and without engines. */
function install(folder) {
  // Not with `env`: npm's cache and registry are the user's.
  const npm = (args, cwd) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ filename }] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
  );
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const quietly = ['--omit=optional', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  npm(['install', ...quietly, `./${filename}`], folder);
  return path.join(folder, 'node_modules');
}

function entries(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
}

const size = {
  ...shared,
  name: 'package: size',
  unit: 'MB',
  goals: () => [{ of: 'value', atMost: 5 }],
  async prepare({ folder }) {
    const modules = install(folder);
    const bytes = entries(modules)
      .map((file) => lstatSync(file))
      .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
    return { subject: async () => bytes / 1e6, floor: null };
  },
};

const packages = {
  ...shared,
  name: 'package: packages',
  unit: 'packages',
  goals: () => [{ of: 'value', atMost: 10 }],
  async prepare({ folder }) {
    const modules = install(folder);
    const names = entries(modules).filter((file) =>
      /node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/.@][^\\/]*[\\/]package\.json$/.test(file),
    );
    return { subject: async () => names.length, floor: null };
  },
};

export const packageRows = [size, packages];
