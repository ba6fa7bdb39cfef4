/** Installs a PostgreSQL with pgvector where one is offered; elsewhere that of the machine has to do. */
import { installPgvector, isOffered } from './install.ts';

if (isOffered) await installPgvector();
