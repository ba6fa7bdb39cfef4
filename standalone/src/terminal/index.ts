/** Text for people at a terminal. */
export { toPrintable, toShort } from './printable.ts';
export { createStyle, hasColours, type Style } from './style.ts';
