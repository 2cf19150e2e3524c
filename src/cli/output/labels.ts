/** `['settings', 'cashbackBp']` as a label for people: `Cashback`. */
export function labelOf(path: readonly string[]): string {
  const names = path[0] === 'settings' && path.length > 1 ? path.slice(1) : path;
  const last = names.length - 1;
  const words = names
    .map((name, index) => (index === last ? name.replace(/(?<=[a-z])(Bp|Minor|At)$/, '') : name))
    .flatMap((name) => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').split(' '))
    .map((word) => knownWords[word.toLowerCase()] ?? (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word));
  const label = words.join(' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

const knownWords: Readonly<Record<string, string>> = { id: 'ID', url: 'URL', md: 'Markdown' };
