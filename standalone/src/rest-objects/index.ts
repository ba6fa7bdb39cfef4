/** Resources of files and objects of an installation, compared and brought together by its management API. */
export { type Difference, differencesOf } from './differences.ts';
export { type Planned, planObject, problemAt, type Wanted } from './plan.ts';
export { createServedObjects, type Served, type ServedObjects, toResource } from './served.ts';
export { wantedObjects } from './wanted.ts';
