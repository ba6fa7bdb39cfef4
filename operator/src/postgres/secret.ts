/** In the operator's namespace; PostgreSQL and the management API start when it has the entry. */
export const POSTGRES_PASSWORD_SECRET = 'gatehouse-postgres-password';
export const PASSWORD_KEY = 'password';
