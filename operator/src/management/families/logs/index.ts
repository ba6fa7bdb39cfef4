export { filterOf, logsOf } from './filter.ts';
export { LOGS } from './logs.ts';
