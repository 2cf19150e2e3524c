import { createPrompt, isEnterKey, isTabKey, useEffect, useKeypress, useState } from '@inquirer/core';
import type { Draft } from '../../core/io.ts';
import { type Look, useResize } from './look.ts';

interface LineConfig {
  readonly look: Look;
  /** The question, wrapped to the terminal. */
  message(): string;
}

/** A question whose answer is seen. */
interface OpenConfig extends LineConfig {
  /** What was entered when the user left the question, or null. */
  readonly before: Draft | null;
  /** Keeps what is entered. */
  readonly draft: Draft;
}

interface TextConfig extends OpenConfig {
  /** Stands in the line at first. */
  readonly preset: string;
  /** Whether the first character that is typed replaces the preset, as in a selected field of a form. Other keys edit it. */
  readonly replacesPreset: boolean;
  /** Whether a wrong answer is removed. */
  readonly clearsWrong: boolean;
  /** Returns what is wrong, or true. */
  validate(text: string): true | string;
  /** What is shown of an answer. */
  summarize(text: string): string;
}

/** A line of text. */
export const textLine = createPrompt<string, TextConfig>((config, done) => {
  const { look, message, preset, replacesPreset, clearsWrong, validate, summarize, before, draft } = config;
  const [line, setLine] = useState('');
  const [problem, setProblem] = useState('');
  const [isDone, setIsDone] = useState(false);
  const [isSelected, setIsSelected] = useState(replacesPreset && preset !== '' && before === null);
  useResize();
  useEffect((readline) => {
    const start = before?.line ?? preset;
    if (start === '') return;
    readline.write(start);
    setLine(start);
  }, []);
  draft.line = line;
  useKeypress((key, readline) => {
    if (isDone) return;
    if (!isEnterKey(key)) {
      const added = readline.line.slice(preset.length);
      if (isSelected && added !== '' && readline.line.startsWith(preset)) {
        readline.clearLine(0);
        readline.write(added);
      }
      setIsSelected(false);
      if (readline.line !== line) setProblem('');
      setLine(readline.line);
      return;
    }
    const verdict = validate(line);
    if (verdict === true) {
      setIsDone(true);
      done(line);
      return;
    }
    setProblem(verdict);
    if (clearsWrong) setLine('');
    // Enter has emptied the line.
    else readline.write(line);
  });
  if (isDone) return `${look.title(message(), true)} ${look.paint('cyan', summarize(line))}`;
  const shown = isSelected ? look.paint('dim', line) : line;
  return [`${look.title(message(), false)} ${shown}`, problem === '' ? '' : look.problem(problem)];
});

/** A line that is not shown. */
export const secret = createPrompt<string, LineConfig>(({ look, message }, done) => {
  const [line, setLine] = useState('');
  const [isDone, setIsDone] = useState(false);
  useResize();
  useKeypress((key, readline) => {
    if (isDone) return;
    if (!isEnterKey(key)) {
      setLine(readline.line);
      return;
    }
    setIsDone(true);
    done(line);
  });
  // The cursor stays where it is, so that the length of the secret is not seen.
  return `${look.title(message(), isDone)}${isDone ? '' : ' \u001b[?25l'}`;
});

interface YesNoConfig extends OpenConfig {
  /** What Enter alone answers. */
  readonly preset: boolean;
}

const answers = new Map([
  ['y', true],
  ['ye', true],
  ['yes', true],
  ['n', false],
  ['no', false],
]);

const wordOf = (value: boolean) => (value ? 'Yes' : 'No');

/** Yes or no, by a letter or the word. */
export const yesNo = createPrompt<boolean, YesNoConfig>((config, done) => {
  const { look, message, preset, before, draft } = config;
  const [line, setLine] = useState('');
  const [problem, setProblem] = useState('');
  const [answer, setAnswer] = useState<boolean | null>(null);
  useResize();
  useEffect((readline) => {
    if (before === null) return;
    readline.write(before.line);
    setLine(before.line);
  }, []);
  draft.line = line;
  const meaningOf = (typed: string) => (typed === '' ? preset : answers.get(typed.toLowerCase()));
  useKeypress((key, readline) => {
    if (answer !== null) return;
    if (!isEnterKey(key)) {
      if (isTabKey(key)) {
        readline.clearLine(0);
        readline.write(wordOf(!(meaningOf(line.trim()) ?? preset)));
      }
      if (readline.line !== line) setProblem('');
      setLine(readline.line);
      return;
    }
    const meant = meaningOf(line.trim());
    if (meant === undefined) {
      readline.write(line);
      setProblem('Type y or n, then press Enter.');
      return;
    }
    setAnswer(meant);
    done(meant);
  });
  if (answer !== null) return `${look.title(message(), true)} ${look.paint('cyan', wordOf(answer))}`;
  const hint = look.paint('dim', preset ? '(Y/n)' : '(y/N)');
  return [`${look.title(message(), false)} ${hint} ${line}`, problem === '' ? '' : look.problem(problem)];
});

/** An answer that one key gives. */
export interface KeyChoice {
  /** A small letter. */
  readonly key: string;
  readonly value: string;
  /** What it does: `keep the plan`. */
  readonly name: string;
}

interface KeyConfig extends LineConfig {
  readonly keys: readonly KeyChoice[];
}

/** One of a few answers, by one key without Enter. */
export const oneKey = createPrompt<string, KeyConfig>(({ look, message, keys }, done) => {
  const [answer, setAnswer] = useState('');
  const [problem, setProblem] = useState('');
  useResize();
  useKeypress((event, readline) => {
    if (answer !== '') return;
    const typed = readline.line.trim().toLowerCase();
    readline.clearLine(0);
    const chosen = keys.find(({ key }) => key === typed);
    if (chosen !== undefined) {
      setAnswer(chosen.name);
      done(chosen.value);
    } else if (typed !== '' || isEnterKey(event)) {
      setProblem(
        `Press ${new Intl.ListFormat('en', { type: 'disjunction' }).format(keys.map(({ key }) => key))}.`,
      );
    }
  });
  if (answer !== '') return `${look.title(message(), true)} ${look.paint('cyan', answer)}`;
  const offered = keys.map(({ key, name }) => `  ${look.paint('cyan', key)}  ${name}`);
  return [
    `${look.title(message(), false)} `,
    [...offered, ...(problem === '' ? [] : [look.problem(problem)])].join('\n'),
  ];
});
