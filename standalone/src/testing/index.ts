/** Helpers for the tests of this package. */
export { addressOf, type ChildGatehouse, runGatehouse, startGatehouse } from './child.ts';
export { type TempFolder, tempFolder } from './temp-folder.ts';
export { ADMIN_KEY, startTestProcess, type TestProcess } from './test-process.ts';
