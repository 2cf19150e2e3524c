import { readFileSync } from 'node:fs';
import { describeService } from '../../src/service/http/operation-handlers.ts';
import { loadCommands } from '../command-definitions.ts';
import { variables } from './environment.ts';
import { manualPages } from './man-page.ts';

/** Every file in the repository that is made from the source, by its path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const pages = manualPages(await loadCommands(), {
    version,
    exitCodes: exitCodeTable(),
    variables,
  });
  return {
    'openapi.json': `${JSON.stringify(describeService(version), null, 2)}\n`,
    ...Object.fromEntries(Object.entries(pages).map(([name, text]) => [`man/${name}.1`, text])),
  };
}

/** The rows of docs/exit-codes.md without their Markdown, so that the manual says the same. */
function exitCodeTable(): (readonly [string, string, string])[] {
  const rows = readFileSync('docs/exit-codes.md', 'utf8').match(/^\| \d+ \|.*$/gm) ?? [];
  return rows.map((row) => {
    const [, code = '', meaning = '', applied = ''] = row
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''));
    return [code, meaning, applied];
  });
}
