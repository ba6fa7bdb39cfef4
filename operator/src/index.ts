/** The control plane as a library: options and one process. */
export { type OperatorOptions, parseOptions, usage } from './config/index.ts';
export { createLog } from './log.ts';
export { runOperator } from './process/index.ts';
