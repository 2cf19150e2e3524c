import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { errorCode } from '../../base/system-error.ts';

const [first, last] = ['# >>> storectl completion >>>', '# <<< storectl completion <<<'];

/** Our lines in the startup file of a shell, with the empty line before them. */
const block = new RegExp(`\\n?^${first}\\n[\\s\\S]*?^${last}\\n?`, 'm');

/** Adds a line to the startup file of a shell, between two marks. False if it has the line already. */
export function addToStartupFile(file: string, line: string): boolean {
  const text = readIfThere(file);
  const added = `${first}\n${line}\n${last}\n`;
  if (text.includes(added)) return false;
  if (block.test(text))
    writeFileSync(
      file,
      text.replace(block, () => `\n${added}`),
    );
  else
    appendFileSync(
      file,
      `${text === '' || text.endsWith('\n') ? '' : '\n'}${text === '' ? '' : '\n'}${added}`,
    );
  return true;
}

/** Takes the line away again, with its marks. False if it is not there. Written in place: the file may be a link. */
export function removeFromStartupFile(file: string): boolean {
  const text = readIfThere(file);
  if (!block.test(text)) return false;
  writeFileSync(file, text.replace(block, ''));
  return true;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
