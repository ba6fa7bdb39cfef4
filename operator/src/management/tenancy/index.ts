export { createTenancy, type Home, type Tenancy, type TenancyOptions, type WorkspaceHome } from './tenancy.ts';
