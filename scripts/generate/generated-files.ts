import { readFileSync } from 'node:fs';
import { variables } from '../../src/cli/program/topics/environment.ts';
import { aboutExitCodes, exitCodeRows } from '../../src/cli/program/topics/exit-codes.ts';
import { describeService } from '../../src/service/http/operation-handlers.ts';
import { loadCommands } from '../command-definitions.ts';
import { manualPages } from './man-page.ts';

/** Every file in the repository that is made from the source, by its path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const pages = manualPages(await loadCommands(), {
    version,
    exitCodes: exitCodeRows.map(([code, meaning, applied]) => [
      String(code),
      meaning.replaceAll('`', ''),
      applied,
    ]),
    variables,
  });
  return {
    'openapi.json': `${JSON.stringify(describeService(version), null, 2)}\n`,
    'docs/exit-codes.md': exitCodePage(),
    ...Object.fromEntries(Object.entries(pages).map(([name, text]) => [`man/${name}.1`, text])),
  };
}

/** The page with the table, from the same rows as the manual and `storectl help exit-codes`. */
function exitCodePage(): string {
  const rows = exitCodeRows.map((cells) => `| ${cells.join(' | ')} |`);
  const head = ['| code | meaning | was anything applied? |', '|---|---|---|'];
  return `# Exit codes\n\n${aboutExitCodes}\n\n${[...head, ...rows].join('\n')}\n`;
}
