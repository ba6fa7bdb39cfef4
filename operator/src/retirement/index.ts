/** The end of all sidecars before an uninstallation, their mounted copies included. */
export { RETIRED_UNTIL } from './mark.ts';
export { type RetireOptions, type RetireTiming, retire } from './retire.ts';
export { createRetirement, type Retirement } from './retirement.ts';
