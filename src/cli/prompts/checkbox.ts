import { styleText } from 'node:util';
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isNumberKey,
  isSpaceKey,
  isUpKey,
  makeTheme,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core';
import figures from '@inquirer/figures';
import type { SeveralConfig } from './accessible-prompts.ts';

const keys: [key: string, action: string][] = [
  ['↑↓', 'navigate'],
  ['space', 'select'],
  ['a', 'all'],
  ['i', 'invert'],
  ['⏎', 'submit'],
];

const hideCursor = '\u001b[?25l';

/**
 * Asks for at least one of several values. It looks and works like the checkbox of @inquirer/prompts, whose keys for all and
 * invert would also select "Other…".
 */
export const checkbox = createPrompt<string[], SeveralConfig>((config, done) => {
  const { choices, pageSize } = config;
  const theme = makeTheme(config.theme);
  const { message, keysHelpTip, renderSelectedChoices } = config.theme.style;
  const [status, setStatus] = useState('idle');
  const [selected, setSelected] = useState<readonly string[]>(
    choices.filter(({ checked }) => checked).map(({ value }) => value),
  );
  const [active, setActive] = useState(0);
  const [problem, setProblem] = useState('');
  const prefix = usePrefix({ status, theme });
  const isSelected = (value: string) => selected.includes(value);

  const invert = (values: readonly string[]) => {
    const all = choices.map(({ value }) => value);
    setSelected(all.filter((value) => isSelected(value) !== values.includes(value)));
  };
  useKeypress((key) => {
    if (status !== 'idle') return;
    if (isEnterKey(key)) {
      if (selected.length === 0) return setProblem('At least one choice must be selected');
      setStatus('done');
      return done([...selected]);
    }
    setProblem('');
    const plain = choices.filter(({ isOther }) => isOther !== true).map(({ value }) => value);
    if (isUpKey(key, theme.keybindings)) setActive(Math.max(active - 1, 0));
    else if (isDownKey(key, theme.keybindings)) setActive(Math.min(active + 1, choices.length - 1));
    else if (isSpaceKey(key)) invert(choices.slice(active, active + 1).map(({ value }) => value));
    else if (key.name === 'a')
      invert(plain.every(isSelected) ? plain : plain.filter((value) => !isSelected(value)));
    else if (key.name === 'i') invert(plain);
    else if (isNumberKey(key)) {
      const index = Number(key.name) - 1;
      const choice = choices[index];
      if (choice === undefined) return;
      setActive(index);
      invert([choice.value]);
    }
  });

  const page = usePagination({
    items: choices,
    active,
    pageSize,
    loop: false,
    renderItem({ item: { value, name }, isActive }) {
      const icon = isSelected(value) ? styleText('green', figures.circleFilled) : figures.circle;
      const line = `${isActive ? figures.pointer : ' '}${icon} ${name}`;
      return isActive ? theme.style.highlight(line) : line;
    },
  });
  const question = `${prefix} ${message(config.message, status)}`;
  if (status === 'done') {
    const answer = renderSelectedChoices(choices.filter(({ value }) => isSelected(value)));
    return `${question} ${theme.style.answer(answer)}`;
  }
  const { description } = choices[active] ?? {};
  const lines = [
    question,
    page,
    ' ',
    description === undefined ? '' : styleText('cyan', description),
    problem === '' ? '' : theme.style.error(problem),
    keysHelpTip(keys),
  ];
  return lines.filter((line) => line !== '').join('\n') + hideCursor;
});
