export { type ClickHouseServer, startClickHouse } from './server.ts';
