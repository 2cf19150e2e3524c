import { Chalk } from 'chalk';
import type { Palette } from './palette.ts';

/** The sixteen colors that every terminal has, in the shades its user chose. */
export const colors: Palette = new Chalk({ level: 1 });
