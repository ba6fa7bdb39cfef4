export { clientsPage } from './page.ts';
