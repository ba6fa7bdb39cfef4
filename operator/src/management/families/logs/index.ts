export { type FilterQuery, filterOf, logsOf } from './filter.ts';
export { LOGS } from './logs.ts';
export { CENT_NANO } from './view.ts';
