export { createHandedContents, type HandedContents } from './handed.ts';
export { planInput } from './input.ts';
export { type AtProviderPorts, type Looked, lookAtProvider } from './run.ts';
export type { ProviderTiming } from './submit.ts';
