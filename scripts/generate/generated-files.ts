import { readFileSync } from 'node:fs';
import { describeService } from '../../src/service/http/operation-handlers.ts';
import { loadCommands } from '../command-definitions.ts';
import { manualPages } from './man-page.ts';

/** Every file in the repository that is made from the source, by its path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const pages = manualPages(await loadCommands(), {
    version,
    exitCodes: readmeTable('| code | meaning | was anything applied? |'),
    variables: readmeTable('| variable | meaning |').map(([name, meaning]) => [name, meaning] as const),
  });
  return {
    'openapi.json': `${JSON.stringify(describeService(version), null, 2)}\n`,
    ...Object.fromEntries(Object.entries(pages).map(([name, text]) => [`man/${name}.1`, text])),
  };
}

/** The first three columns of a table in the README, without their Markdown, so that the manual says the same. */
function readmeTable(heading: string): (readonly [string, string, string])[] {
  const [, table = ''] = readFileSync('README.md', 'utf8').split(heading);
  const [body = ''] = table.split('\n\n');
  const rows = body.split('\n').slice(2);
  if (rows.length === 0) throw new Error(`README.md has no table with the heading "${heading}"`);
  return rows.map((row) => {
    const [, key = '', meaning = '', third = ''] = row
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''));
    return [key, meaning, third];
  });
}
