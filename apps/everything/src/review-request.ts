import { Describe } from '@sigil/core';
import { IsBoolean, IsEnum, IsInt, Max, Min } from 'class-validator';

/** The languages reviews are written for. */
export enum Language {
  TypeScript = 'typescript',
  Python = 'python',
  Rust = 'rust',
}

/** What the review prompt is told. Prompt arguments are strings on the wire; these are not here. */
export class ReviewRequest {
  @Describe('The language of the code')
  @IsEnum(Language)
  language!: Language;

  @Describe('Most findings to name')
  @IsInt()
  @Min(1)
  @Max(50)
  maxFindings: number = 5;

  @Describe('Whether to spare no feelings')
  @IsBoolean()
  strict: boolean = false;
}
