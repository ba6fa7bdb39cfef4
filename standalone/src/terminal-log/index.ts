/** The log as people read it at a terminal. */
export { createTerminalLog, type TerminalLog, type TerminalLogOptions } from './terminal-log.ts';
