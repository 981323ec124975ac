import { Describe } from '@sigil/core';
import { IsEmail, IsString } from 'class-validator';

/** A form for the name and the email address of the user. */
export class ContactForm {
  @Describe("User's response")
  @IsString()
  username!: string;

  @Describe("User's email address")
  @IsEmail()
  email!: string;
}
