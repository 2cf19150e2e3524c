import { readFileSync } from 'node:fs';
import { buildOpenApi } from '../src/contract/openapi.ts';

/** Every file in the repository that is made from the source, by its path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  return {
    'openapi.json': `${JSON.stringify(buildOpenApi(version), null, 2)}\n`,
  };
}
