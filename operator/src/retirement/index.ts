/** Ends all sidecars before an uninstallation, and removes their mounted copies. */
export { RETIRED_UNTIL } from './mark.ts';
export { type RetireOptions, type RetireTiming, retire } from './retire.ts';
export { createRetirement, type Retirement } from './retirement.ts';
