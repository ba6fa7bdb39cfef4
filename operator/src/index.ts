/** The control plane as a library: options and one process. */

export { runOperator } from './app/index.ts';
export { type OperatorOptions, parseOptions, usage } from './config/index.ts';
export { createLog } from './log.ts';
