import { expect, test } from 'vitest';
import { parseCsv } from '../../../../src/commands/disputes/bulk/csv.ts';

test.each([
  ['\n', '\n'],
  ['\r\n', '\r\n'],
  ['\r\n', '\n'],
  ['\r', '\r'],
])('rows have the line that they begin on, with line breaks %j, and %j within quotes', (end, inner) => {
  const lines = ['a,b', `1,"x${inner}y${inner}z"`, '', '2,"he said ""no"""', '3,'];

  expect(parseCsv(`\ufeff${lines.join(end)}${end}`, 'f.csv')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', 'x\ny\nz'] },
    { line: 6, cells: ['2', 'he said "no"'] },
    { line: 7, cells: ['3', ''] },
  ]);
});

test.each([
  [',', '2;5'],
  [';', '2,5'],
  ['\t', '2,5;6'],
])('the header shows the separator %j', (separator, cell) => {
  expect(parseCsv(`a${separator}b\n1${separator}${cell}\n3`, 'f.csv')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', cell] },
    { line: 3, cells: ['3'] },
  ]);
});

test.each([
  ['a,b\n1,"open\n2,x\n3,y\n', 'line 2'],
  ['a,b\n\n1,"open\n2,"closed"\n3,y\n', 'line 3'],
  ['a,b\n\n2,"a"b\n', 'line 3'],
  ['a,b\n"1\n1",x\n2,"a"b\n', 'line 4'],
  ['a,b\n1,2\n3,x"y\n', 'line 3'],
])('quotes that do not match are refused with their line: %j', (text, line) => {
  expect(() => parseCsv(text, 'f.csv')).toThrow(`f.csv, ${line}: the quotes do not match`);
});
