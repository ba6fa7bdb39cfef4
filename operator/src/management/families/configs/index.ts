export { CONFIGS } from './configs.ts';
