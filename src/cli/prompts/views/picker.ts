import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  useKeypress,
  usePagination,
  useState,
} from '@inquirer/core';
import type { Draft } from '../../core/io.ts';
import { type Look, useResize } from './look.ts';
import { bestMatch, matching, minToFilter } from './matching.ts';

/** A choice as the picker shows it: its texts are escaped. */
export interface PickerChoice {
  readonly value: string;
  readonly name: string;
  /** What is shown as the answer. */
  readonly short: string;
  readonly description: string;
  /** What is searched. */
  readonly words: string;
  /** Whether it is offered whatever is typed, because it leads to a question for something else. */
  readonly isOther: boolean;
}

interface PickerConfig {
  readonly look: Look;
  /** The question, wrapped to the terminal. */
  message(): string;
  readonly choices: readonly PickerChoice[];
  /** How many lines of choices there is room for. */
  pageSize(): number;
  /** Where the cursor is at first. */
  readonly preset: string | undefined;
  /** The values that are selected at first; null if one value is chosen. */
  readonly checked: readonly string[] | null;
  /** What was entered when the user left the question, or null. */
  readonly before: Draft | null;
  /** Keeps what is entered. */
  readonly draft: Draft;
  /** The answer, wrapped after the question. */
  summarize(names: readonly string[]): string;
  /** Wraps a text to the terminal, below an indentation. */
  wrap(text: string, indentation: string): string;
}

/** One of several choices, or some of them, filtered by what is typed. */
export const picker = createPrompt<readonly string[], PickerConfig>((config, done) => {
  const { look, message, choices, preset, summarize, wrap, before, draft } = config;
  const pageSize = config.pageSize();
  const isMultiple = config.checked !== null;
  const [filter, setFilter] = useState('');
  const [checked, setChecked] = useState<readonly string[]>(before?.checked ?? config.checked ?? []);
  const [active, setActive] = useState(
    Math.max(
      choices.findIndex(({ value }) => value === (before?.active ?? preset)),
      0,
    ),
  );
  const [problem, setProblem] = useState('');
  const [answer, setAnswer] = useState<readonly string[] | null>(null);
  useResize();
  const items = matching(choices, filter);
  const current = items[active];
  Object.assign(draft, { line: filter, checked, active: current?.value });

  /** Shows all again, with the cursor on the same choice. */
  const showAll = (value: string) => {
    setFilter('');
    setActive(choices.findIndex((choice) => choice.value === value));
  };
  const finish = (values: readonly string[]) => {
    setAnswer(choices.filter(({ value }) => values.includes(value)).map(({ short }) => short));
    done(values);
  };

  useKeypress((key, readline) => {
    if (answer !== null) return;
    if (isEnterKey(key)) {
      // Enter has emptied the line.
      if (current === undefined) readline.write(filter);
      else if (!isMultiple) finish([current.value]);
      else if (filter !== '') {
        // Enter takes what was searched for; the next one ends the question.
        setChecked([...new Set([...checked, current.value])]);
        setProblem('');
        showAll(current.value);
      } else if (checked.length === 0) setProblem('Select at least one with Space.');
      else finish(choices.map(({ value }) => value).filter((value) => checked.includes(value)));
    } else if (key.name === 'escape') {
      // Without a filter, it goes back: the prompt ends.
      if (filter === '') return;
      readline.clearLine(0);
      showAll((current ?? choices[0])?.value ?? '');
    } else if (isUpKey(key) || isDownKey(key)) {
      setActive(Math.min(Math.max(active + (isUpKey(key) ? -1 : 1), 0), Math.max(items.length - 1, 0)));
    } else if (isMultiple && isSpaceKey(key)) {
      readline.clearLine(0);
      setProblem('');
      if (current === undefined) readline.write(filter);
      else {
        const { value } = current;
        setChecked(checked.includes(value) ? checked.filter((one) => one !== value) : [...checked, value]);
        showAll(value);
      }
    } else {
      if (isTabKey(key)) {
        readline.clearLine(0);
        readline.write(filter);
      }
      if (readline.line === filter) return;
      setFilter(readline.line);
      setProblem('');
      setActive(bestMatch(matching(choices, readline.line), readline.line));
    }
  });

  const page = usePagination({
    items: [...items],
    active: Math.min(Math.max(active, 0), Math.max(items.length - 1, 0)),
    pageSize,
    loop: false,
    renderItem({ item }) {
      const isActive = item === current;
      const box = checked.includes(item.value) ? look.paint('green', '◉') : '◯';
      const shown = `${isActive ? '❯' : ' '}${isMultiple ? box : ''} ${wrap(item.name, '    ')}`;
      return isActive ? look.paint('cyan', shown) : shown;
    },
  });
  if (answer !== null) return `${look.title(message(), true)} ${look.paint('cyan', summarize(answer))}`;
  const count = (list: readonly PickerChoice[]) => list.filter(({ isOther }) => !isOther).length;
  const keys = [
    ...(filter !== '' ? [`${count(items)} of ${count(choices)}`, 'esc clear filter'] : []),
    ...(filter === '' && items.length > pageSize ? [`${count(choices)} choices`] : []),
    '↑↓ navigate',
    ...(filter !== '' || count(choices) < minToFilter ? [] : ['type to filter']),
    ...(isMultiple ? ['space select', '⏎ submit'] : ['⏎ select']),
  ];
  const below = [
    count(items) === 0 ? look.paint('dim', '  No matches') : '',
    page,
    ' ',
    look.paint('cyan', wrap(current?.description ?? '', '')),
    problem === '' ? '' : look.problem(problem),
    look.paint('dim', wrap(keys.join(' • '), '')),
  ];
  return [`${look.title(message(), false)} ${filter}`, below.filter(Boolean).join('\n')];
});
