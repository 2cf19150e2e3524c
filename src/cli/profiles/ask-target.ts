import { parseBaseUrl } from '../../client/base-url.ts';
import { pathParameterProblem } from '../../contract/operation.ts';
import type { Ui } from '../command/ui.ts';
import { askText } from '../prompts/prompts.ts';
import type { Question } from '../prompts/questions.ts';

/** Where a profile's requests go. Answers are stored here, and are the preset if the question is asked again. */
export interface AskedTarget {
  baseUrl: string | undefined;
  storeId: string | undefined;
}

export function askBaseUrl({ io }: Ui, target: AskedTarget): Question {
  return async () => {
    const validate = (text: string) => problemOf(() => parseBaseUrl(text)) ?? true;
    target.baseUrl = await askText(io, 'Base URL', { preset: target.baseUrl, validate });
  };
}

export function askStoreId({ io }: Ui, target: AskedTarget): Question {
  return async () => {
    const validate = (text: string) => pathParameterProblem(text) ?? true;
    target.storeId = await askText(io, 'Store ID', { preset: target.storeId, validate });
  };
}

/** The message of what `check` throws, or null. */
export function problemOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
