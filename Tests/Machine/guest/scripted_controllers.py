"""Controllers that are not as a gate would like them. Each is honest while the kernel sets it up; its part begins with the gate's first reset."""
import asyncio
import random

from bumble import hci

from air import UNKNOWN_COMMAND, GateController

DISALLOWED, INVALID = 0x0C, 0x12
RESET, DISCONNECT = 0x0C03, 0x0406
WRITE_LE_HOST_SUPPORT, LE_SET_EVENT_MASK = 0x0C6D, 0x2001
LONG_TERM_KEY_NEGATIVE_REPLY = 0x201B
LEGACY_ADVERTISING = range(0x2006, 0x200B)
KERNELS_RESETS = 1  # setting a new controller up, the kernel resets it once


class ScriptedController(GateController):
    """`begin` takes on the part; `admits` says whether a command reaches the honest controller below; `amend` changes what it answers."""

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, **options)
        self.supported_commands = set(self.supported_commands)
        self.resets = 0
        self.heard: list[int] = []    # of the gate, opcodes
        self.refused: list[int] = []

    @property
    def is_on(self) -> bool:
        return self.resets > KERNELS_RESETS

    def on_hci_packet(self, packet) -> None:
        if isinstance(packet, hci.HCI_Command):
            if packet.op_code == RESET:
                self.resets += 1
                if self.resets == KERNELS_RESETS + 1:
                    self.begin()
            if self.is_on:
                self.heard.append(packet.op_code)
                if not self.admits(packet):
                    return
        super().on_hci_packet(packet)

    def begin(self) -> None:
        pass

    def admits(self, command) -> bool:
        return True

    def say(self, octets: bytes) -> None:
        """An H4 packet for the gate, whatever is in it."""
        if self.host:
            asyncio.get_running_loop().call_soon(self.host.on_packet, octets)

    def refuse(self, opcode: int, status: int) -> bool:
        """Unknown commands by Command Status, others by Command Complete with a status alone: controllers do both."""
        self.refused.append(opcode)
        code = opcode.to_bytes(2, "little")
        self.say(bytes((4, 0x0F, 4, status, 1)) + code if status == UNKNOWN_COMMAND else bytes((4, 0x0E, 4, 1)) + code + bytes((status,)))
        return False


class RefusingController(ScriptedController):
    """Refuses some commands it claims to have. Dual-mode where the gate asks something of those alone."""

    def __init__(self, *arguments, status: int, opcodes, **options) -> None:
        super().__init__(*arguments, **options)
        self.status, self.opcodes = status, opcodes

    def begin(self) -> None:
        if WRITE_LE_HOST_SUPPORT in self.opcodes:
            self.lmp_features &= ~hci.LmpFeatureMask.BR_EDR_NOT_SUPPORTED
            self.supported_commands.add(WRITE_LE_HOST_SUPPORT)

    def admits(self, command) -> bool:
        return command.op_code not in self.opcodes or self.refuse(command.op_code, self.status)

    def ask_for_key(self) -> None:
        """The phone wants encryption with a key nobody has."""
        for connection in self.le_connections.values():
            self.say(bytes((4, 0x3E, 13, 5)) + connection.handle.to_bytes(2, "little") + bytes(10))


class NarrowController(ScriptedController):
    """Takes `packets` of `length` octets at a time, gives each back after a while, and counts what it is sent beyond that. `shared`: the same
    buffers for LE and BR/EDR, as Read Buffer Size tells them."""

    def __init__(self, *arguments, length: int, packets: int, fragment: int = 251, shared: bool = False, **options) -> None:
        super().__init__(*arguments, **options)
        self.length, self.packets, self.part, self.shared = length, packets, fragment, shared
        self.held = self.most = self.longest = 0

    def begin(self) -> None:
        self.fragment = self.part
        self.acl_data_packet_length, self.total_num_acl_data_packets = self.length, self.packets
        self.le_acl_data_packet_length, self.total_num_le_acl_data_packets = (0, 0) if self.shared else (self.length, self.packets)

    def on_hci_acl_data_packet(self, packet) -> None:
        self.held += 1
        self.most, self.longest = max(self.most, self.held), max(self.longest, len(packet.data))
        super().on_hci_acl_data_packet(packet)

    def send_hci_packet(self, packet) -> None:
        if isinstance(packet, hci.HCI_Number_Of_Completed_Packets_Event):
            asyncio.get_running_loop().call_later(0.002, self.give_back, packet)
        else:
            super().send_hci_packet(packet)

    def give_back(self, packet) -> None:
        self.held -= 1
        super().send_hci_packet(packet)


class LegacyController(ScriptedController):
    """Without extended advertising, or any other feature newer than 4.0. `version`: what it says it is."""

    version = hci.HCI_VERSION_BLUETOOTH_CORE_5_0

    def begin(self) -> None:
        self.hci_version = self.lmp_version = self.version
        self.le_features = hci.LeFeatureMask.LE_ENCRYPTION
        self.supported_commands = {opcode for opcode in self.supported_commands if not 0x2020 <= opcode}

    def admits(self, command) -> bool:
        if command.op_code >= 0x2020 and command.op_code >> 10 == 8:
            return self.refuse(command.op_code, UNKNOWN_COMMAND)
        return True


class OldController(LegacyController):
    """Bluetooth 4.0, and particular about event masks: what it does not know is refused."""

    version = hci.HCI_VERSION_BLUETOOTH_CORE_4_0

    def admits(self, command) -> bool:
        if command.op_code == LE_SET_EVENT_MASK and int.from_bytes(command.le_event_mask, "little") & ~0x1F:
            return self.refuse(command.op_code, INVALID)
        return super().admits(command)


class AncientController(LegacyController):
    version = hci.HCI_VERSION_BLUETOOTH_CORE_3_0_HS


class ExtendedController(ScriptedController):
    """Advertises by the extended commands only."""

    def begin(self) -> None:
        self.supported_commands -= set(LEGACY_ADVERTISING)
        self.supported_commands |= set(range(0x2035, 0x203E))

    def admits(self, command) -> bool:
        return command.op_code not in LEGACY_ADVERTISING or self.refuse(command.op_code, UNKNOWN_COMMAND)

    def on_hci_le_set_advertising_set_random_address_command(self, command):
        # Bumble's link finds a controller by its one address.
        self.random_address = command.random_address
        return super().on_hci_le_set_advertising_set_random_address_command(command)


class NamedController(ScriptedController):
    """Has this public address, least significant octet last."""

    def __init__(self, *arguments, address: str, **options) -> None:
        super().__init__(*arguments, **options)
        self.own = address

    def begin(self) -> None:
        self.public_address = hci.Address(self.own, hci.Address.PUBLIC_DEVICE_ADDRESS)


class EnhancedController(ScriptedController):
    """Tells of a link by LE Enhanced Connection Complete, as a controller of today does when it may."""

    def send_hci_packet(self, packet) -> None:
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event) and self.le_event_mask & 1 << 9:
            octets = bytes(packet)
            self.say(bytes((4, 0x3E, 31, 0x0A)) + octets[4:15] + bytes(12) + octets[15:])
        else:
            super().send_hci_packet(packet)


class SilentController(ScriptedController):
    """Once `fall_silent` was called it answers nothing. `wakes`: on which of the resets that follow it comes back; 0: never."""

    def __init__(self, *arguments, wakes: int = 0, **options) -> None:
        super().__init__(*arguments, **options)
        self.wakes, self.is_silent, self.ignored = wakes, False, 0

    def fall_silent(self) -> None:
        self.is_silent = True

    def admits(self, command) -> bool:
        if self.is_silent and command.op_code == RESET:
            self.wakes -= 1
            self.is_silent = self.wakes != 0
        self.ignored += self.is_silent
        return not self.is_silent


class HesitantController(ScriptedController):
    """Takes its time to answer the kernel, until `hurry`."""

    delay = 0.5

    def hurry(self) -> None:
        self.delay = 0

    def send_hci_packet(self, packet) -> None:
        asyncio.get_running_loop().call_later(self.delay, super().send_hci_packet, packet)


# What a controller out of its mind makes of an answer.
GARBAGE = {
    "without a status": lambda answer, dice: bytes((4, 0x0E, 3)) + answer[3:6],
    "cut in half": lambda answer, dice: bytes((4, answer[1], (len(answer) - 3) // 2)) + answer[3 : 3 + (len(answer) - 3) // 2],
    "a length that lies": lambda answer, dice: answer[:2] + bytes((answer[2] ^ 0x55,)) + answer[3:],
    "another command's": lambda answer, dice: answer[:4] + bytes((answer[4] ^ 0x11, answer[5])) + answer[6:],
    "an unknown status": lambda answer, dice: answer[:6] + b"\xee" + answer[7:],
    "no more commands": lambda answer, dice: answer[:3] + b"\0" + answer[4:],
    "noise": lambda answer, dice: b"\x04" + bytes((dice.randrange(256), 40)) + dice.randbytes(40),
    "data of no link": lambda answer, dice: b"\x02" + dice.randbytes(2) + (40).to_bytes(2, "little") + dice.randbytes(40),
    "an event without an end": lambda answer, dice: b"\x04\x3e\xff" + dice.randbytes(7),
}


class GarblingController(ScriptedController):
    """Answers the second to fourth command of the gate with garbage; then it has recovered."""

    def __init__(self, *arguments, garble, **options) -> None:
        super().__init__(*arguments, **options)
        self.garble, self.dice, self.garbled = garble, random.Random(1), 0

    def send_hci_packet(self, packet) -> None:
        if self.is_on and 2 <= len(self.heard) <= 4 and isinstance(packet, hci.HCI_Command_Complete_Event):
            self.garbled += 1
            self.say(self.garble(bytes(packet), self.dice))
        else:
            super().send_hci_packet(packet)
