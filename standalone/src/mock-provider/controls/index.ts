export { type Attempts, createAttempts } from './attempts.ts';
export { NO_CONTROLS, readHeaderControls } from './headers.ts';
export { readModelControls } from './model-name.ts';
export { type Controls, MOCK_CONTROLS, type MockControl, type ValueRule } from './table.ts';
export { describeRule } from './value.ts';
