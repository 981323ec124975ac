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

/** Asks for background information for a prompt. */
export class BackgroundForm {
  @IsString()
  context!: string;
}

/** Asks the user to confirm a deletion. */
export class DeletionForm {
  @IsBoolean()
  confirm!: boolean;
}
