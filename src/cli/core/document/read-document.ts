import { DocumentError, type DocumentSyntax, type InputDocument } from './document.ts';
import { isJson, jsonError, readJson, refuseComments } from './json-document.ts';

export interface DocumentOptions {
  /** Unless given, what begins as JSON and is valid JSON is JSON, and everything else is YAML. */
  readonly syntax?: DocumentSyntax | undefined;
  /** Lines of the file that precede the text. */
  readonly linesAbove?: number | undefined;
}

/**
 * Reads a JSON, YAML or TOML text that a user wrote; every file and flag goes through it. A key that stands twice is an error:
 * one of its two values would be lost without a word. Throws a {@link DocumentError}, which says line and reason, or a
 * {@link TooDeepError}.
 */
export async function readDocument(
  text: string,
  { syntax, linesAbove = 0 }: DocumentOptions = {},
): Promise<InputDocument> {
  if (syntax === 'JSON' || (syntax === undefined && isJson(text))) return readJson(text, linesAbove);
  if (syntax === 'TOML') return (await import('./toml-document.ts')).readToml(text, linesAbove);
  const { readYaml } = await import('./yaml-document.ts');
  if (syntax === 'YAML' || !/^\s*(?:[{[]|\/[/*])/.test(text)) return readYaml(text, linesAbove);
  // YAML would make a comment of JavaScript a part of the name or value beside it.
  refuseComments(text, linesAbove);
  try {
    return readYaml(text, linesAbove);
  } catch (error) {
    if (error instanceof DocumentError && !error.repeatsKey) throw jsonError(text, linesAbove);
    throw error;
  }
}
