// The consumer's own header, which has a name that the house uses too. It must win here, and only here.
#pragma once

struct own_packet {
  int value = 1;
};
