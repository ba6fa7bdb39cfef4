export { type ProgramSurroundings, runProgram, type StopSignal } from './program.ts';
