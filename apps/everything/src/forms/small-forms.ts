import { Describe } from '@sigil/core';
import { IsBoolean, IsString } from 'class-validator';

/** Asks for a name. */
export class NameForm {
  @IsString()
  name!: string;
}

/** Asks for a color. */
export class ColorForm {
  @Describe('Any color you like')
  @IsString()
  color!: string;
}

/** Asks for consent. */
export class ConfirmForm {
  @IsBoolean()
  ok!: boolean;
}

/** Asks what a prompt should know. */
export class BackgroundForm {
  @IsString()
  context!: string;
}

/** Asks whether something may be done that cannot be undone. */
export class DeletionForm {
  @IsBoolean()
  confirm!: boolean;
}
