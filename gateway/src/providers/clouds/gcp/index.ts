export { gcpOAuth } from './authorizer.ts';
export { gcpProject } from './service-account.ts';
